import * as v from 'valibot'
import { type Card, cardParts, cardText, isCardText } from '../messages/cards.ts'
import { isStorable, storable } from '../messages/storable.ts'
import { isSealed } from '../sealing/sealing.ts'

/** The most codes that one answer may hold. */
const maxCodes = 10_000
/** The most characters of a code. */
export const maxCodeLength = 1000

const text = v.pipe(v.string('must be a string'), v.check(isStorable, 'contains U+0000 or an unpaired surrogate'))

const identifier = v.nullish(
  v.pipe(text, v.maxLength(200, 'is longer than 200 characters'), v.transform(blankToNull)),
  null,
)

// The reason is only for people, so one that is too long, or that cannot be stored, is changed, not refused.
const reason = v.nullish(
  v.pipe(
    v.string('must be a string'),
    // Copied, because a slice of a string keeps the whole string in memory.
    v.transform((value) => blankToNull(Buffer.from(storable(value.slice(0, 1000))).toString())),
  ),
  null,
)

// A b-tree entry of PostgreSQL ends at about 2700 bytes, and keys are unique within their item.
const code = v.pipe(
  text,
  v.regex(/\S/, 'is blank'),
  // Texts that this service makes of codes begin like these.
  v.check((code) => !isSealed(code) && !isCardText(code), 'begins with "sealed:" or "card:{"'),
  v.maxLength(maxCodeLength, `is longer than ${maxCodeLength} characters`),
  v.maxBytes(2000, 'is longer than 2000 bytes'),
)

const part = v.pipe(text, v.regex(/\S/, 'is blank'), v.maxLength(200, 'is longer than 200 characters'))

const url = v.pipe(
  text,
  v.maxLength(2000, 'is longer than 2000 characters'),
  v.regex(/^[Hh][Tt]{2}[Pp][Ss]?:\/\/[^\s/]\S*$/, 'must be an http or https URL'),
)

const expiry = v.pipe(text, v.check(isDateOrTime, 'must be a date or a time of ISO 8601'))

const card = v.object(
  { code, pin: v.nullish(part), serial: v.nullish(part), url: v.nullish(url), expiresAt: v.nullish(expiry) },
  'must be an object',
)

const codeOrCard = v.pipe(
  v.union([code, card], 'makes no sense as a code or its parts'),
  v.transform((given) => (typeof given === 'string' ? given : cardText(withoutNulls(given)))),
)

const codes = v.nullish(
  v.pipe(v.array(codeOrCard, 'must be an array'), v.maxLength(maxCodes, `holds more than ${maxCodes} codes`)),
  () => [],
)

const ignoredCodes = v.optional(v.pipe(v.unknown(), v.transform(codesIn)))

const reference = v.nullish(v.string('must be a string'), null)

// For our books only: what makes no sense is left out, and holds no item.
export const unitPrice = v.fallback(v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1e9))), null)
const currency = v.fallback(v.nullish(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/))), null)

const about = { reference, errorCode: identifier, reason, supplierOrderId: identifier, unitPrice, currency }

/**
 * The answer of a supplier: `status`, and optionally `codes`, `errorCode`, `reason`, `supplierOrderId`, `reference`,
 * and what it charges for a unit (`unitPrice`, `currency`). `null` counts as absent, and so does a blank text; unknown
 * fields are ignored. Codes of an answer that is `processing` only serve to remove them from its other texts. At most
 * 10,000 codes of 1 to 1000 characters (and 2000 bytes), each a string or an object
 * `{code, pin?, serial?, url?, expiresAt?}`; here they are texts (`cardText`).
 */
export const answerSchema = v.variant(
  'status',
  [
    v.object({ status: v.literal('processing'), ...about, codes: ignoredCodes }),
    v.object({ status: v.picklist(['completed', 'failed']), ...about, codes }),
  ],
  'must be processing, completed or failed',
)

/** A usable answer of a supplier, its absent fields filled in. */
export type SupplierAnswer = v.InferOutput<typeof answerSchema>

/** What an answer says besides its status, where that is nothing. */
export const nothingElse = { reference: null, errorCode: null, reason: null, supplierOrderId: null, codes: [] }

/** The body of a refusing 4xx: an answer whose `status`, if there is one, is `failed`. */
export const refusalSchema = v.object({ status: v.nullish(v.literal('failed')), ...about, codes })

/** Whether an answer names another order than the one it was asked about; UUIDs are compared without their case. */
export function foreignReference(answer: unknown, reference: string): boolean {
  const { reference: named } = Object(answer)
  return typeof named === 'string' && named.toLowerCase() !== reference.toLowerCase()
}

/** An answer that has codes with parts, without these; undefined: it has none. Objects without a code are left out. */
export function withoutParts(answer: unknown): unknown {
  const given = Object(answer).codes
  const hasParts = (each: unknown) => typeof each === 'object' && each !== null && !Array.isArray(each)
  if (!Array.isArray(given) || !given.some(hasParts)) return undefined
  const textOf = (each: unknown) => (hasParts(each) ? [Object(each).code].filter((text) => v.is(code, text)) : [each])
  return { ...Object(answer), codes: given.flatMap(textOf) }
}

/** The codes of an answer that is not final or not usable, and their parts, however they are written. */
export function codesIn(given: unknown): string[] {
  return Array.isArray(given) ? given.flatMap(ignoredCode) : []
}

function ignoredCode(given: unknown): string[] {
  const texts = typeof given === 'string' ? [given] : ['code', ...cardParts].map((name) => Object(given)[name])
  // What no code can be is no text that this service makes of codes either.
  return texts.filter((text) => v.is(code, text))
}

function withoutNulls({ code, ...parts }: { code: string } & Record<string, string | null | undefined>): Card {
  const given = Object.entries(parts).filter(([, value]) => typeof value === 'string')
  return { code, ...Object.fromEntries(given) }
}

const dateOrTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/

/** Whether a text is a date or a time of ISO 8601, of a day that exists. */
function isDateOrTime(text: string): boolean {
  const [, year = '', month = '', day = ''] = dateOrTime.exec(text) ?? []
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return year !== '0000' && !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day)
}

function blankToNull(value: string): string | null {
  return value.trim() === '' ? null : value
}
