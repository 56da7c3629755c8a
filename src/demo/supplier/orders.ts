import { createHash } from 'node:crypto'
import { type Behaviour, endOf } from '../../simulation/scenarios.ts'

/** What was ordered. */
export type SimulatedRequest = {
  reference: string
  sku: string
  quantity: number
  deliveryData: Record<string, unknown>
}

/**
 * An order that the simulator holds. `acceptedAt` is in milliseconds since the epoch; `puts` and `gets` count calls.
 */
export type SimulatedOrder = SimulatedRequest & { behaviour: Behaviour; acceptedAt: number; puts: number; gets: number }

/** The body of an answer or a push. */
export type SimulatedResult = {
  reference: string
  status: 'processing' | 'completed' | 'failed'
  codes: string[]
  errorCode: string | null
  reason: string | null
  supplierOrderId: string
}

/** An answer over HTTP, or none at all. */
export type SimulatedAnswer = { status: number; body: object } | 'silence'

const secondsUntilFinal: Record<Behaviour, number> = {
  completes: 2,
  refuses: 0,
  fails: 5,
  partial: 2,
  stumbles: 2,
  slow: 60,
  silent: Number.POSITIVE_INFINITY,
  loses_answer: 0,
}

/** How long after its acceptance an order becomes final, in seconds of the simulation; infinity for never. */
export function finalAfter(order: SimulatedOrder): number {
  return secondsUntilFinal[order.behaviour]
}

/**
 * The answer to a call for an order that the simulator holds, `elapsed` seconds of the simulation after it was
 * accepted. The call has already been counted in the order.
 */
export function answerTo(method: 'PUT' | 'GET', order: SimulatedOrder, elapsed: number): SimulatedAnswer {
  const amiss = misbehaviour(method, order)
  if (amiss !== undefined) return amiss
  const body = resultOf(order, elapsed)
  if (method === 'GET') return { status: 200, body }
  if (order.behaviour === 'refuses') return { status: 422, body }
  return { status: body.status === 'processing' ? 202 : 200, body }
}

/** The answer to a call that misbehaves; undefined if the call gets its normal answer. The call is already counted. */
export function misbehaviour(method: 'PUT' | 'GET', order: SimulatedOrder): SimulatedAnswer | undefined {
  if (order.behaviour === 'silent') return 'silence'
  if (order.behaviour === 'loses_answer' && method === 'PUT') return 'silence'
  if (order.behaviour === 'stumbles' && order.puts + order.gets <= 2) {
    return { status: 500, body: { error: 'Internal error' } }
  }
  return undefined
}

/** Whether the protocol `http` refuses a sku because there is none left: those that end with `-SOLD-OUT`. */
export function isSoldOut(sku: string): boolean {
  return sku.endsWith('-SOLD-OUT')
}

/** The state of an order, `elapsed` seconds of the simulation after it was accepted. */
export function resultOf(order: SimulatedOrder, elapsed: number): SimulatedResult {
  const base = {
    reference: order.reference,
    codes: [],
    errorCode: null,
    reason: null,
    supplierOrderId: supplierOrderId(order.reference),
  }
  if (elapsed < finalAfter(order)) return { ...base, status: 'processing' }
  const end = endOf(order.behaviour, order.quantity, deliversCodes(order.sku))
  return { ...base, ...end, codes: codesFor(order, end.codes) }
}

/** Whether the simulator delivers codes for a sku: those that begin with `KEY-`. */
export function deliversCodes(sku: string): boolean {
  return sku.startsWith('KEY-')
}

/** The first `count` codes of an order. They follow from the reference, so that a repeated order gets the same ones. */
function codesFor(order: SimulatedOrder, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const digits = digest(`${order.reference}:${index}`).slice(0, 20).toUpperCase()
    return (digits.match(/.{5}/g) ?? []).join('-')
  })
}

function supplierOrderId(reference: string): string {
  return `sim-${digest(reference).slice(0, 12)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
