import type { IncomingHttpHeaders } from 'node:http'
import type { SupplierOutcome } from './outcome.ts'

/** How a supplier is reached. `token` is the credential itself: where it came from is not the adapter's concern. */
export type SupplierAccess = {
  /** The supplier's code. */
  supplier: string
  baseUrl: string
  token: string
  /** Resolves when the next request of `list` may be made; absent where the supplier has no limit of requests a minute. */
  pace?: (() => Promise<void>) | undefined
  /** What tells the supplier which request and trace it is called for; no part of what is asked for. */
  correlation?: Readonly<Record<string, string>>
}

/** What a supplier receives. `reference` is the order item's UUID, always the same for it. */
export type SupplierCall = SupplierAccess & {
  reference: string
  sku: string
  quantity: number
  deliveryData: Record<string, unknown>
  /** Whether the item delivers keys. */
  deliversKeys: boolean
  /** What one unit costs at most, in `currency`, as a decimal with two places; null where no cost is known. */
  unitCost: string | null
  /** The currency of the offer's cost; null where no cost is known. */
  currency: string | null
  /** The supplier's own name for the order, as far as an answer told it. */
  supplierOrderId: string | null
  /** When the item was first sent to this supplier; null before that. */
  firstSentAt: Date | null
  /** Where the supplier may push events about the order, the same for all of its calls; null: it is to push none. */
  eventsUrl: string | null
}

/** The capabilities of a protocol's suppliers. The table `supply.protocols` holds the same. */
export type SupplierCapabilities = {
  /** For how many seconds a repeated order with the same reference is the same order; null: permanently; 0: never. */
  repeatSafeSeconds: number | null
  /** Whether an order can be found by our reference. */
  findsByReference: boolean
  /** What it pushes: signed results, events that are a reason to ask, or nothing. */
  pushes: 'results' | 'events' | null
  /** Whether it lists costs and stock: the adapter then has `list`. */
  listsOffers: boolean
  /** How many HTTP requests one call takes at most. */
  requestsPerCall: number
}

/** What a supplier's list says of one sku. `stock` null: it has it, how many is not known; 0: it has none. */
export type ListedOffer = { sku: string; cost: string; currency: string; stock: number | null }

/** A list of offers: of the skus asked for, those that the supplier has; or why there is none, in technical terms. */
export type Listing = { ok: true; offers: ListedOffer[] } | { ok: false; error: string }

/** An event as it came: its headers and raw body, the supplier's secret for events and the present time. */
export type SupplierEvent = {
  headers: IncomingHttpHeaders
  rawBody: Buffer
  secret: string
  now: Date
}

/**
 * What an event says: which item to ask for. `eventId` is the supplier's name for the event, by which a repeated one is
 * known. `ignored`: it is authentic, and about nothing that is asked for.
 */
export type ReadEvent =
  | { ok: true; eventId: string; reference: string }
  | { ok: false; problem: 'bad_signature' | 'malformed' | 'ignored' }

/**
 * Speaks one protocol. `put` places an order, or repeats it; `get` asks how it stands. Neither ever rejects for what
 * the outside world does: that is an `unknown` outcome, and so is a call that `signal` ends. `list` does not either.
 */
export type SupplierAdapter = {
  capabilities: SupplierCapabilities
  put: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
  get: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
  /** What the supplier says of these skus. Present where `capabilities.listsOffers`. */
  list?: (access: SupplierAccess, skus: readonly string[], signal?: AbortSignal) => Promise<Listing>
  /** Verifies and reads an event. Present where `capabilities.pushes` is `events`. Never throws. */
  readEvent?: (event: SupplierEvent) => ReadEvent
}

/** What a protocol's file exports: it makes the adapter, whose calls take at most `timeoutMs` milliseconds. */
export type AdapterFactory = (options: { timeoutMs: number }) => SupplierAdapter & { close: () => Promise<void> }
