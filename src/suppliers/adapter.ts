import type { IncomingHttpHeaders } from 'node:http'
import type { SupplierOutcome } from './outcome.ts'
import type { ShopTexts } from './shop_texts.ts'

/** Where a supplier is and our credential there: `token` is the credential itself, not a reference to a setting. */
export type SupplierAccess = {
  /** The supplier's code. */
  supplier: string
  baseUrl: string
  token: string
  /**
   * Resolves when the next request may be made, of `list`, or of a call beyond its `requestsPerCall`; absent where the
   * supplier has no limit of requests a minute.
   */
  pace?: (() => Promise<void>) | undefined
  /** Headers with the request id and the trace context of the call. */
  correlation?: Readonly<Record<string, string>>
}

/** A call about one order item. `reference` is the item's UUID, the same in all of its calls. */
export type SupplierCall = SupplierAccess & {
  reference: string
  sku: string
  quantity: number
  deliveryData: Record<string, unknown>
  /** The text to deliver to, made of the delivery data by the offer; null: the offer has none, or a field is missing. */
  recipient: string | null
  /** Whether the item delivers keys. */
  deliversKeys: boolean
  /** The most that one unit may cost, in `currency`, as a decimal with two places; null if no cost is known. */
  unitCost: string | null
  /** The currency of the offer's cost; null where no cost is known. */
  currency: string | null
  /** The supplier's own id of the order; null if no answer has contained it. */
  supplierOrderId: string | null
  /** When the item was first sent to this supplier; null before that. */
  firstSentAt: Date | null
  /** When the supplier first named an error of the order and left it `processing`; null: it has not. */
  doubtedAt: Date | null
  /** The URL for the supplier's events about the order, the same for all of its calls; null: it shall push none. */
  eventsUrl: string | null
  /**
   * Whether the lease of the call surely lives. Otherwise no request that places the order is sent: another worker may
   * have settled the item. Requests pass it on in `placing`.
   */
  maySend: () => boolean
}

/** The capabilities of a protocol's suppliers. The table `supply.protocols` holds the same. */
export type SupplierCapabilities = {
  /** For how many seconds a repeated order with the same reference is the same order; null: permanently; 0: never. */
  repeatSafeSeconds: number | null
  /** Whether an order can be found by our reference. */
  findsByReference: boolean
  /** The supplier pushes signed results, events after which the worker asks, or nothing. */
  pushes: 'results' | 'events' | null
  /** Whether it lists costs and stock: the adapter then has `list`. */
  listsOffers: boolean
  /** How many HTTP requests one call takes at most. */
  requestsPerCall: number
  /** It is asked for an order by sending the order again: `put` asks too, and `get` is never called for an item. */
  asksByRepeating: boolean
  /** The smallest wait between two calls about one item, in seconds; null: none. */
  minWaitSeconds: number | null
  /** Whether it may report our balance there: the adapter then has `balance`. */
  reportsBalance: boolean
}

/** An entry of a supplier's list. `stock` null: in stock, the number is unknown; 0: out of stock. */
export type ListedOffer = {
  sku: string
  cost: string
  currency: string
  stock: number | null
  /** What the supplier says about the product to buyers; absent: nothing that can be shown. */
  texts?: ShopTexts
}

/** An entry that makes no sense, and what is wrong in it. */
export type UnusableOffer = { sku: string; problem: string }

/** The offers that the supplier has among the requested skus; or, in technical terms, why there is no list. */
export type Listing =
  | { ok: true; offers: (ListedOffer | UnusableOffer)[] }
  | { ok: false; error: string; httpStatus?: number }

/** Our balance at a supplier; null: it reports none. Or, in technical terms, why it is not known. */
export type BalanceReading =
  | { ok: true; balance: number; currency: string }
  | { ok: true; balance: null; currency: null }
  | { ok: false; error: string; httpStatus?: number }

/** A received event: its headers and raw body, the supplier's secret for events and the present time. */
export type SupplierEvent = { headers: IncomingHttpHeaders; rawBody: Buffer; secret: string; now: Date }

/** How an event says that its order ended. */
export type Ending = 'delivered' | 'failed'

/**
 * The item that an event is about, by our reference or by the supplier's own id of the order. `eventId` is the
 * supplier's name for the event: a repeated event has the same one. `says`: how the order ended, as far as the event
 * says it, which can contradict what we know. `ignored`: it is authentic, but about no item.
 */
export type ReadEvent =
  | { ok: true; eventId: string; reference: string; says?: Ending }
  | { ok: true; eventId: string; supplierOrderId: string; says?: Ending }
  | { ok: false; problem: 'bad_signature' | 'malformed' | 'ignored' }

/**
 * Speaks one protocol. `put` places an order, or repeats it. `get` asks for its status; where `asksByRepeating`, it only
 * checks that the supplier answers us. `put`, `get` and `list` never reject because of a supplier or the network. If
 * `signal` ends a call, its outcome is `unknown`.
 */
export type SupplierAdapter = {
  capabilities: SupplierCapabilities
  put: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
  get: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
  /**
   * Lists costs and stock of these skus, with texts where the supplier has them. Texts that take a request of their own
   * are read for `skusForTexts` alone. Present if `capabilities.listsOffers`.
   */
  list?: (
    access: SupplierAccess,
    skus: readonly string[],
    signal?: AbortSignal,
    skusForTexts?: readonly string[],
  ) => Promise<Listing>
  /** Reads our balance. Present if `capabilities.reportsBalance`. */
  balance?: (access: SupplierAccess, signal?: AbortSignal) => Promise<BalanceReading>
  /** Verifies and reads an event. Present where `capabilities.pushes` is `events`. Never throws. */
  readEvent?: (event: SupplierEvent) => ReadEvent
}

/** Makes the adapter of a protocol. A call takes at most `timeoutMs` milliseconds. */
export type AdapterFactory = (options: { timeoutMs: number }) => SupplierAdapter & { close: () => Promise<void> }
