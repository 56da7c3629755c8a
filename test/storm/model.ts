import { products } from '../support/partner.ts'
import type { Answer } from './client.ts'
import type { PlanName, ReceiverPlan } from './plans.ts'
import type { Report } from './report.ts'

/** A product whose price operators change all the time. */
export const movingProduct = 106

/** A product of the supplier that is asked by repeating. */
export const repeatedProduct = 107

/** Unit prices in hundredths of the currency, where they stay. */
export const prices: { readonly [productId: number]: number } = {
  [products.topUp]: 1050,
  [products.key]: 2000,
  [products.expensive]: 10_000,
  [products.dollars]: 100,
  [repeatedProduct]: 1200,
}

export type WantedItem = { productId: number; quantity: number; deliveryData: { plan: PlanName; gameUserId: string } }

export type OrderBody = { externalOrderId: string; items: WantedItem[]; callbackUrl?: string; maxTotal?: number }

/** An order that a partner wants, and all that it was told about it. */
export type Intent = {
  account: Account
  body: OrderBody
  /** The header X-Idempotency-Key; without one the external order id is the key. */
  idempotencyKey: string | undefined
  receiver: ReceiverPlan | undefined
  /** In hundredths; of an order with a moving price only once it was placed. */
  total: number | undefined
  /** Whether it must be refused whenever it is asked for: bad input, or more than the partner ever had. */
  isRefusable: boolean
  codes: Set<string>
  created: number
  refused: number
  /** Answers that leave open whether it was placed. */
  unknown: number
}

export type Sort = 'rich' | 'poor' | 'dollars' | 'test' | 'storefront'

/** A partner as the model knows it. */
export type Account = {
  accountId: number
  sort: Sort
  key: string
  /** The address of its requests. */
  address: string
  intents: Intent[]
  /** Deposits and adjustments, by their references, in hundredths. */
  entries: Map<string, number>
  statuses: Map<string, string>
  /** Whether operators ever switched it off: its key is no good at times then. */
  wasSwitchedOff: boolean
}

/** In hundredths, from a number as JSON has it. */
export const hundredths = (amount: number): number => Math.round(amount * 100)

/** Whether the order was placed, as far as the partner was told; undefined where it cannot know. */
export function isPlaced({ codes, unknown }: Intent): boolean | undefined {
  if (codes.size > 0) return true
  return unknown > 0 ? undefined : false
}

const refusals = [400, 402, 422, 429]

/** Whether the service may always say so to this account, whatever it asks for. */
export function isForbidden({ sort, wasSwitchedOff }: Account, status: number): boolean {
  return status === 429 || (sort === 'storefront' && status === 403) || (wasSwitchedOff && status === 401)
}

/** Takes in the answer to a POST of an intent, and notes what contradicts what was known. */
export function heed(intent: Intent, answer: Answer, report: Report): void {
  const { status, json, headers } = answer
  const { codes, body, account } = intent
  const subject = `${body.externalOrderId} of account ${account.accountId} (${status})`
  report.count(`answers ${status === 0 ? 'lost' : status}`)
  if (status === 0 || status >= 500) {
    intent.unknown += 1
    report.count('unknown outcomes')
    return
  }
  if (status === 200 || status === 201) {
    accept(intent, answer, report, subject)
    return
  }
  intent.refused += 1
  const forbidden = isForbidden(account, status)
  if (codes.size > 0 && !forbidden) report.difference('a repeat was refused', subject)
  if (!forbidden && !refusals.includes(status)) {
    report.difference('an unexpected answer', `${subject} ${JSON.stringify(json)}`)
  }
  const isTooDear = body.maxTotal !== undefined && status === 422 && json?.code === 'PRICE_CHANGED'
  const isTooMuch = account.sort === 'poor' && status === 402
  const mayBeRefused = forbidden || isTooDear || isTooMuch || intent.isRefusable
  if (!mayBeRefused) report.difference('a good order was refused', `${subject} ${JSON.stringify(json)}`)
  if (status === 429 && headers['retry-after'] === undefined) report.difference('a 429 without Retry-After', subject)
}

function accept(intent: Intent, { status, json, headers }: Answer, report: Report, subject: string): void {
  const { codes, body } = intent
  const order = json.data
  if (intent.isRefusable || intent.account.sort === 'storefront')
    report.difference('what cannot be was placed', subject)
  if (codes.size === 0) report.count('orders acknowledged')
  codes.add(order.code)
  if (codes.size > 1) report.difference('one order has two codes', `${subject} ${[...codes]}`)
  if (order.externalOrderId !== body.externalOrderId) report.difference('the answer is about another order', subject)
  intent.total ??= hundredths(order.totalAmount)
  if (hundredths(order.totalAmount) !== intent.total)
    report.difference('the total is wrong', `${subject} ${order.totalAmount}`)
  if (status === 201 && order.totalAmount > (body.maxTotal ?? Number.POSITIVE_INFINITY))
    report.difference('an order costs more than its limit', subject)
  if (order.orders?.[0]?.code !== order.code) report.difference('orders[0] is another one', subject)
  if (status === 201) {
    intent.created += 1
    if (intent.created > 1) report.difference('two answers say that the order was placed now', subject)
  } else {
    report.count('repeats answered')
    if (headers['idempotent-replayed'] !== 'true') report.difference('a 200 is no repeat', subject)
  }
}
