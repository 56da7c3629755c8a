import * as v from 'valibot'
import { isStorable, storable } from '../messages/storable.ts'
import { isSealed } from '../sealing/sealing.ts'

/** The most codes that one answer may hold. */
const codesLimit = 10_000
/** The most characters of a code. */
export const codeLength = 1000

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
  // A text that this service sealed begins like this.
  v.check((code) => !isSealed(code), 'begins with "sealed:"'),
  v.maxLength(codeLength, `is longer than ${codeLength} characters`),
  v.maxBytes(2000, 'is longer than 2000 bytes'),
)

const codes = v.nullish(
  v.pipe(v.array(code, 'must be an array'), v.maxLength(codesLimit, `holds more than ${codesLimit} codes`)),
  () => [],
)

const ignoredCodes = v.optional(
  v.pipe(
    v.unknown(),
    v.transform((given) => (Array.isArray(given) ? given.filter((code) => typeof code === 'string') : [])),
  ),
)

const reference = v.nullish(v.string('must be a string'), null)

// For our books only: what makes no sense is left out, and holds no item.
const unitPrice = v.fallback(v.nullish(v.pipe(v.number(), v.minValue(0), v.maxValue(1e9))), null)
const currency = v.fallback(v.nullish(v.pipe(v.string(), v.regex(/^[A-Z]{3}$/))), null)

const about = { reference, errorCode: identifier, reason, supplierOrderId: identifier, unitPrice, currency }

/**
 * The answer of a supplier: `status`, and optionally `codes`, `errorCode`, `reason`, `supplierOrderId`, `reference`, and
 * what it charges for a unit (`unitPrice`, `currency`). `null` counts as absent, and so does a blank text; unknown fields are ignored. Codes of an
 * answer that is `processing` only serve to remove them from its other texts. At most 10,000 codes of 1 to 1000
 * characters (and 2000 bytes).
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

/** The body of a refusing 4xx: an answer whose `status`, if there is one, is `failed`. */
export const refusalSchema = v.object({ status: v.nullish(v.literal('failed')), ...about, codes })

/** Whether an answer names another order than the one it was asked about; UUIDs are compared without their case. */
export function foreignReference(answer: unknown, reference: string): boolean {
  const { reference: named } = Object(answer)
  return typeof named === 'string' && named.toLowerCase() !== reference.toLowerCase()
}

function blankToNull(value: string): string | null {
  return value.trim() === '' ? null : value
}
