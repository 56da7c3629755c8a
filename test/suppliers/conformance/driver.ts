import type { AdapterFactory, ListedOffer, SupplierCall, SupplierEvent } from '../../../src/suppliers/adapter.ts'
import type { StandIn, StandInAnswer } from '../../support/servers/supplier_stand_in.ts'

/**
 * How an order stands at a supplier. `codes` of one that is processing have come already, though it is not done. One that
 * fails with `codes` delivered a part.
 */
export type Standing = { status: 'processing' | 'completed' | 'failed'; codes: string[] }

/** The end of an order for two keys. */
export const completed: Standing = { status: 'completed', codes: ['AAAA-1', 'BBBB-2'] }

/**
 * What a supplier does when an order is placed: it takes it, or refuses it because of its content, because it is out
 * of stock, or because our balance is spent.
 */
export type Plan = Standing | 'refuse' | 'out of stock' | 'balance spent'

/** A supplier of the protocol whose answers a test sets. */
export type TestSupplier = StandIn & {
  /** The credential that it accepts. */
  token: string
  /** Another credential that it can accept; by default any text is one. */
  nextToken?: string
  /** The secret of its events. */
  secret: string
  /** What it does when the order is placed; and of one that it has, how it stands from now on. By default: processing. */
  plan: (reference: string, plan: Plan) => void
  /** How many orders it made for a reference. */
  ordersFor: (reference: string) => number
  /** From now on it accepts this credential only. */
  changeToken: (token: string) => void
  /** The faults of the requests that it received, if it checks them against the documents of the protocol. */
  violations?: string[]
  /** Sets what it lists of a sku. Needed where `capabilities.listsOffers`. */
  list?: (offer: ListedOffer) => void
  /** Sets our balance there, in the currency of `call`. Needed where `capabilities.reportsBalance`. */
  fund?: (balance: number) => void
  /** Whether its list only says if it has some at all. By default it says how many. */
  hidesStock?: boolean
}

/** A part of an outcome, as `toMatchObject` takes it. */
type Expected = { outcome: string; [field: string]: unknown }

/** What the conformance suite needs to know about a protocol, besides its adapter. */
export type ConformanceDriver = {
  protocol: string
  create: AdapterFactory
  startSupplier: () => Promise<TestSupplier>
  /** Items of two keys, or top-ups of one unit. By default keys. */
  delivers?: 'keys' | 'topUps'
  /** What its calls are given, as sku and cost. */
  call: Partial<SupplierCall>
  /** Changes that make an answer about our order an answer about another one, by name. */
  foreign: Record<string, (answer: StandInAnswer) => StandInAnswer>
  /** The outcomes of a PUT that differ between protocols. */
  outcomes: {
    /** It is refused because of its content. */
    refused: Expected
    /** Our balance is spent; absent: the protocol has none. */
    balanceSpent?: Expected
    /** The credential is not accepted. */
    tokenExpired: Expected
    /** Outcomes of answers with an empty body, by status. The outcome of any other status is unknown. */
    byStatus?: Record<number, Expected>
  }
  /** An event about an order, and one about something else. Needed where `capabilities.pushes` is `events`. */
  events?: {
    about: (reference: string, supplier: TestSupplier) => SupplierEvent
    other: (supplier: TestSupplier) => SupplierEvent
    /** The event without what proves it; by default it has no headers. */
    unproven?: (event: SupplierEvent) => SupplierEvent
  }
}
