import { createHash } from 'node:crypto'

/** The behaviour of the simulator for an order. The last two digits of the player id choose it. */
export type Behaviour = 'completes' | 'refuses' | 'fails' | 'partial' | 'stumbles' | 'slow' | 'silent' | 'loses_answer'

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

/** The end of an order without the codes themselves: `codes` is their number. */
export type SimulatedEnd = {
  status: 'completed' | 'failed'
  codes: number
  errorCode: string | null
  reason: string | null
}

/** An answer over HTTP, or none at all. */
export type SimulatedAnswer = { status: number; body: object } | 'silence'

/**
 * The player ids that make an order go some way: by their last digits, the simulator's behaviour, after how many
 * seconds a simulated order then ends (null: never), and what partners learn about that. All other ids complete.
 */
export const magicPlayerIds = [
  { digits: '00', behaviour: 'refuses', seconds: 0, what: 'fails at once, with a reason' },
  { digits: '01', behaviour: 'fails', seconds: 5, what: 'fails after 5 seconds, with a reason' },
  {
    digits: '02',
    behaviour: 'partial',
    seconds: 2,
    what: 'after 2 seconds, half of the keys is delivered, rounded down, and the rest fails; a top-up fails',
  },
  { digits: '03', behaviour: 'stumbles', seconds: 5, what: 'completes after 5 seconds, past two errors' },
  { digits: '04', behaviour: 'slow', seconds: 60, what: 'completes after 60 seconds' },
  { digits: '05', behaviour: 'silent', seconds: null, what: 'stays `processing`' },
  {
    digits: '06',
    behaviour: 'loses_answer',
    seconds: 31,
    what: 'completes after 31 seconds: the first answer is lost',
  },
] as const satisfies { digits: string; behaviour: Behaviour; seconds: number | null; what: string }[]

/** The scenario of all other player ids. */
export const otherPlayerIds = { seconds: 2, what: 'completes after 2 seconds' }

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

const playerNotFound = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
const failure = {
  status: 'failed',
  errorCode: 'SUPPLIER_ERROR',
  reason: 'Поставщик не смог выполнить заказ. Средства возвращены на баланс.',
} as const
const soldOut = 'Товар закончился: доставлена только часть заказа.'

/** The behaviour for an order: by the last two digits of `deliveryData.gameUserId`, `completes` without them. */
export function behaviourFor(order: Pick<SimulatedRequest, 'deliveryData'>): Behaviour {
  return magicOf(order)?.behaviour ?? 'completes'
}

/** After how many seconds a simulated order ends, in which no supplier is asked; null for never. */
export function secondsOf(order: Pick<SimulatedRequest, 'deliveryData'>): number | null {
  const magic = magicOf(order)
  return magic === undefined ? otherPlayerIds.seconds : magic.seconds
}

function magicOf({ deliveryData }: Pick<SimulatedRequest, 'deliveryData'>) {
  const digits = String(deliveryData.gameUserId ?? '').slice(-2)
  return magicPlayerIds.find((magic) => magic.digits === digits)
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

/** The end of an order, for a product that delivers codes or one that does not. */
export function endOf(behaviour: Behaviour, quantity: number, hasCodes: boolean): SimulatedEnd {
  switch (behaviour) {
    case 'refuses':
      return { status: 'failed', codes: 0, errorCode: 'PLAYER_NOT_FOUND', reason: playerNotFound }
    case 'fails':
      return { ...failure, codes: 0 }
    case 'partial': {
      const codes = hasCodes ? Math.floor(quantity / 2) : 0
      if (codes === 0) return { ...failure, codes }
      return { status: 'failed', codes, errorCode: 'OUT_OF_STOCK', reason: soldOut }
    }
    default:
      return { status: 'completed', codes: hasCodes ? quantity : 0, errorCode: null, reason: null }
  }
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
