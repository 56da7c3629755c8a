import { type Card, cardText, secretsOf } from '../messages/cards.ts'
import { owners, type Sealing, Unreadable } from '../sealing/sealing.ts'
import { answerSchema, codesIn, foreignReference, refusalSchema, type SupplierAnswer, withoutParts } from './answer.ts'
import { jsonOf, quoteBody, readAnswer, readValue } from './body.ts'
import type { Exchange, HttpAnswer } from './exchange.ts'

/**
 * The outcome of a call to a supplier, or of a result that it pushed. A plain JSON value.
 *
 * - `answered`: the supplier answered with the status of the order. `codes` (`cardText`) is empty while `processing`.
 *   `unitPrice`: what it charges for a unit, in `currency` (absent: in that of its offer).
 * - `unknown`: nothing can be concluded; the order may or may not be under way. `error` is a short, stable technical
 *   text without secrets, `retryAfter` a wait in seconds (1..3600) that the supplier asked for, `raw` the beginning of
 *   its unusable answer (at most 2000 characters).
 * - `not_received`: the supplier does not know the reference.
 * - `not_placed`: this call certainly made no order, and the item is not at fault, so it may be sent again. `cause`
 *   says what an operator has to do, if anything.
 * - `hold`: an operator has to check the item before the supplier is called again. `error` says what to check; `codes`
 *   are kept.
 *
 * `ignoredCodes`: the codes of an answer that is processing or unusable. They only serve to remove them from texts.
 */
export type SupplierOutcome =
  | {
      outcome: 'answered'
      status: 'processing' | 'completed' | 'failed'
      codes: string[]
      errorCode: string | null
      reason: string | null
      supplierOrderId: string | null
      httpStatus: number | null
      ignoredCodes?: string[]
      unitPrice?: number
      currency?: string
      /** Of an order that is processing: when to ask again at the earliest, in seconds (1..3600). */
      retryAfter?: number
    }
  | ({ outcome: 'unknown'; error: string } & Details)
  | { outcome: 'not_received' }
  | ({ outcome: 'not_placed'; cause: NotPlacedCause; error: string } & Details)
  | ({ outcome: 'hold'; error: string } & HoldDetails)

type Details = { httpStatus: number | null; retryAfter: number | null; raw: string | null; ignoredCodes?: string[] }
type HoldDetails = { codes: string[]; supplierOrderId: string | null; httpStatus: number | null; raw: string | null }

/**
 * Why a call made no order: `balance` (ours at the supplier is spent), `credentials` (it does not accept them),
 * `settings` (ours make no request), `unreachable` (no connection), `busy` (it takes no more now), `late`
 * (this worker stood still, or stops: the supplier is not at fault).
 */
export type NotPlacedCause = 'balance' | 'credentials' | 'settings' | 'unreachable' | 'busy' | 'late'

/** The call that was answered. A quotation of the answer never contains its token. */
type Call = { method: 'PUT' | 'GET'; reference: string; token: string }
type Unanswered = Exclude<Exchange, { answer: HttpAnswer }>

const answering = [200, 201, 202]
const undecided = [401, 403, 404, 408, 409, 425, 429]

/**
 * Interprets a supplier's answer to PUT or GET /orders/{reference}.
 *
 * 200, 201 and 202 with a usable body are an answer. A 404 to the GET means that the supplier never received the order.
 * A 4xx to the PUT, other than 401, 403, 404, 408, 409, 425 and 429, is a final refusal. Its body, if usable, gives
 * error code, reason and codes; but if it says `processing` or `completed`, or names another reference, it contradicts
 * the status, and the outcome is unknown. A final answer in which only the parts of codes make no sense is held.
 * Everything else is unknown.
 */
export function interpretAnswer(call: Call, answer: HttpAnswer): SupplierOutcome {
  if (answering.includes(answer.status)) return interpretBody(call, answer)
  if (call.method === 'GET' && answer.status === 404) return { outcome: 'not_received' }
  if (call.method === 'PUT' && isRefusal(answer.status)) return interpretRefusal(call, answer)
  return inconclusive(call, { answer })
}

/** The `unknown` outcome, for the given technical reason, which holds no secret. */
export function unknown(error: string, details: Partial<Details> = {}): SupplierOutcome {
  return { outcome: 'unknown', error, ...filled(details) }
}

function filled({ httpStatus = null, retryAfter = null, raw = null, ignoredCodes = [] }: Partial<Details>): Details {
  return { httpStatus, retryAfter, raw, ...(ignoredCodes.length > 0 && { ignoredCodes }) }
}

/** The outcome of an exchange that says nothing about the order. `code` is the error that the answer names. */
export function inconclusive(call: Pick<Call, 'token'>, exchange: Exchange, code?: string): SupplierOutcome {
  if (!('answer' in exchange)) return unknown(exchange.lost, exchange)
  const { status: httpStatus, retryAfter } = exchange.answer
  const error = code === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${code}`
  return unknown(error, { httpStatus, retryAfter, raw: quoteBody(call, exchange.answer) })
}

/** The outcome of an unusable answer. It is quoted only if it can hold no keys. */
export function unusable(
  call: Pick<Call, 'token'>,
  answer: HttpAnswer,
  problem: string,
  { mayHoldKeys = false, codes = [] as string[] } = {},
): SupplierOutcome {
  const raw = mayHoldKeys ? null : quoteBody(call, answer)
  return unknown(`the answer is unusable: ${problem}`, { httpStatus: answer.status, raw, ignoredCodes: codes })
}

/** The outcome of an answer about another order. It is not quoted, because it may hold the codes of that order. */
export function foreign({ status }: HttpAnswer): SupplierOutcome {
  return unknown('the answer is unusable: it names another order', { httpStatus: status })
}

/** The outcome of a call that certainly made no order, for the given technical reason, which holds no secret. */
export function notPlaced(cause: NotPlacedCause, error: string, details: Partial<Details> = {}): SupplierOutcome {
  return { outcome: 'not_placed', cause, error, ...filled(details) }
}

/** The outcome of an order request without an answer: `not_placed` only if it was certainly not sent. */
export function unanswered(exchange: Unanswered): SupplierOutcome {
  return exchange.notSent === null ? unknown(exchange.lost, exchange) : notPlaced(exchange.notSent, exchange.lost)
}

// This service writes these fields itself.
const ownFields = ['outcome', 'status', 'cause']

/**
 * The outcome without our token, which a supplier may echo in any field. A token of fewer than 8 characters stays: it
 * may be a part of ordinary words.
 */
export function withoutToken(outcome: SupplierOutcome, token: string): SupplierOutcome {
  if (token.length < 8) return outcome
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean)
    return typeof value === 'string' ? value.replaceAll(token, '[token]') : value
  }
  const entries = Object.entries(outcome)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, ownFields.includes(name) ? value : clean(value)]),
  ) as SupplierOutcome
}

/**
 * The outcome as the database stores it: its codes and its quotation of the answer are sealed, and its other texts
 * repeat no code of this answer or of an earlier one (`knownCodes`, as the database has them). The reason also loses
 * what looks like a code.
 */
export async function sealOutcome(
  { ignoredCodes = [], ...outcome }: SupplierOutcome & { ignoredCodes?: string[] },
  itemId: string,
  sealing: Sealing,
  knownCodes: (itemId: string) => Promise<string | null>,
): Promise<SupplierOutcome> {
  if (sealing.keyId === undefined) return outcome
  const codes = 'codes' in outcome ? outcome.codes : []
  const raw = 'raw' in outcome ? outcome.raw : null
  const hasTexts = Object.entries(outcome).some(([name, text]) => repeating.includes(name) && text !== null)
  const needsKnown = hasTexts || ignoredCodes.length > 0
  // guard: no text of an answer repeats a code of an earlier one
  const known = needsKnown ? await openKnown((await knownCodes(itemId)) ?? '[]', sealing) : []
  const clean = withoutCodes(outcome, [...codes, ...ignoredCodes, ...known])
  // Each later answer opens them, and many give the same ones again.
  const fresh = [...new Set(ignoredCodes)].filter((code) => !known.includes(code))
  const kept = [...codes, ...fresh.slice(0, Math.max(0, maxIgnoredCodes - known.length))]
  return {
    ...clean,
    // guard: the codes of a supplier are sealed
    ...(kept.length > 0 ? { codes: await sealing.sealCodes(kept, itemId) } : {}),
    ...('reason' in clean ? { reason: clean.reason?.replaceAll(likeCode, '[code]') ?? null } : {}),
    // guard: what is quoted of an answer is sealed
    ...(raw !== null ? { raw: sealing.seal(raw, owners.answer(itemId)) } : {}),
  }
}

// The most codes of an item with which ignored ones are kept, to remove them from the texts of later answers.
const maxIgnoredCodes = 100

async function openKnown(json: string, sealing: Sealing): Promise<string[]> {
  try {
    const cards: Card[] = JSON.parse(await sealing.openCodes(json))
    return cards.map(cardText)
  } catch (error) {
    // Operators are alerted, and the result still counts.
    if (error instanceof Unreadable) return []
    throw error
  }
}

// A word that mixes Latin letters and digits, the groups of a product key, or the number of a card. Such a word is tried
// from its start only, or after its first hyphen if letters of another script go before: all else takes quadratic time.
const likeCode =
  /(?<![\p{L}\p{N}])(?:(?:(?<![_-])|(?<=(?![A-Za-z\d])[\p{L}\p{N}][A-Za-z\d]*[_-]))(?=[A-Za-z\d_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z\d_-]{8,}|[A-Z]{3,}(?:-{1,2}[A-Z]{3,}){2,}|\d(?:[ _-]{0,2}\d){12,}(?:[_-][A-Za-z\d_-]+)?)(?![\p{L}\p{N}])/gu

const repeating = ['errorCode', 'reason', 'error', 'supplierOrderId']

/**
 * The texts of an answer without its codes and their parts. A code of fewer than 8 characters may be a part of ordinary
 * words, so it is removed only where it is the whole text. What is left of an id with a code in it identifies nothing:
 * it is null.
 */
export function withoutCodes<Texts extends object>(texts: Texts, cards: readonly string[]): Texts {
  const codes = secretsOf(cards)
  const clean = (text: string) =>
    codes.includes(text)
      ? '[code]'
      : codes.reduce((rest, code) => (code.length < 8 ? rest : rest.replaceAll(code, '[code]')), text)
  const changed = Object.entries(texts)
    .filter(([name, text]) => repeating.includes(name) && typeof text === 'string' && clean(text) !== text)
    .map(([name, text]) => [name, name === 'supplierOrderId' ? null : clean(text)])
  return { ...texts, ...Object.fromEntries(changed) }
}

/** The outcome that an operator has to check, for the given technical reason, which holds no secret. */
export function hold(error: string, details: Partial<HoldDetails> = {}): SupplierOutcome {
  const { codes = [], supplierOrderId = null, httpStatus = null, raw = null } = details
  return { outcome: 'hold', error, codes, supplierOrderId, httpStatus, raw }
}

/** The outcome of an order that the supplier finally refused, without delivering anything. */
export function refused(
  httpStatus: number | null,
  errorCode: string | null,
  reason: string | null = null,
): SupplierOutcome {
  return { outcome: 'answered', status: 'failed', codes: [], errorCode, reason, supplierOrderId: null, httpStatus }
}

/** The outcome of a usable answer. `httpStatus` is null where the answer was pushed. */
export function answered(answer: SupplierAnswer, httpStatus: number | null, retryAfter?: number): SupplierOutcome {
  const { status, errorCode, reason, supplierOrderId, unitPrice, currency, codes: ignoredCodes = [] } = answer
  const texts = { errorCode, reason, supplierOrderId }
  return {
    outcome: 'answered',
    status,
    ...(status === 'processing'
      ? { codes: [], ...withoutCodes(texts, ignoredCodes), ...(ignoredCodes.length > 0 && { ignoredCodes }) }
      : { codes: answer.codes, ...texts }),
    httpStatus,
    ...(typeof unitPrice === 'number' && { unitPrice, ...(typeof currency === 'string' && { currency }) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  }
}

/**
 * The outcome of a final answer in which only the parts of codes make no sense: asking again brings the same, so an
 * operator decides, with the codes themselves. Undefined: more of it makes no sense.
 */
function heldForParts(answer: unknown, httpStatus: number, problem: string): SupplierOutcome | undefined {
  const read = readValue(answerSchema, withoutParts(answer))
  if (!read.ok || read.value.status === 'processing') return undefined
  const { codes, supplierOrderId } = read.value
  return hold(`the answer is unusable: ${problem}`, { codes, supplierOrderId, httpStatus })
}

function isRefusal(status: number): boolean {
  // guard: a 5xx leaves the outcome unknown
  return status >= 400 && status <= 499 && !undecided.includes(status)
}

function interpretBody(call: Call, answer: HttpAnswer): SupplierOutcome {
  const read = readAnswer(answerSchema, answer)
  const body = read.ok ? read.value : jsonOf(answer)
  if (foreignReference(body, call.reference)) return foreign(answer)
  if (read.ok) return answered(read.value, answer.status)
  const codes = codesIn(Object(body).codes)
  return heldForParts(body, answer.status, read.problem) ?? unusable(call, answer, read.problem, { codes })
}

function interpretRefusal(call: Call, answer: HttpAnswer): SupplierOutcome {
  const body = jsonOf(answer)
  if (['processing', 'completed'].includes(Object(body).status)) {
    return unusable(call, answer, 'its status contradicts the refusal', { codes: codesIn(Object(body).codes) })
  }
  if (foreignReference(body, call.reference)) return foreign(answer)
  const read = readValue(refusalSchema, body)
  if (read.ok) return answered({ ...read.value, status: 'failed' }, answer.status)
  return (
    heldForParts({ ...Object(body), status: 'failed' }, answer.status, read.problem) ?? refused(answer.status, null)
  )
}
