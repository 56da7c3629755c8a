import * as v from 'valibot'
import { placeOf } from '../messages/issue_place.ts'
import { parseJson } from '../messages/json.ts'
import { isFresh, type Signed } from '../messages/sign.ts'
import { answerSchema } from './answer.ts'
import { answered, type SupplierOutcome } from './outcome.ts'

/**
 * A pushed body. `reference` is the order item's UUID in lower case. `malformed`: the body is no answer with a
 * reference, and `details` names the field at fault. `unknown_reference`: the reference is no UUID, so it is not ours.
 */
export type ParsedPush =
  | { ok: true; reference: string; outcome: SupplierOutcome }
  | { ok: false; problem: 'malformed'; details: { path: string; message: string }[] }
  | { ok: false; problem: 'unknown_reference' }

const uuid = v.pipe(v.string(), v.uuid())

/** The body of a push: the answer to a GET, and the reference of the order. */
export const pushSchema = v.intersect([
  v.object({ reference: v.string('must be a string') }, (issue) =>
    issue.expected === 'Object' ? 'must be an object' : 'is required',
  ),
  answerSchema,
])

/** Whether a push can be authentic, by the two headers alone, before the body is read. */
export function mayBeAuthentic(push: Pick<Signed, 'timestamp' | 'signature' | 'now'>): boolean {
  const { timestamp = '', signature = '', now } = push
  return isFresh(timestamp, now) && /^sha256=[0-9a-f]{64}$/.test(signature)
}

/** Reads a pushed body by the same rules as an answer to a GET. Verify it first. */
export function parsePush(rawBody: Buffer): ParsedPush {
  const body = parseJson(rawBody)
  if (body === undefined) return malformed('', 'must be JSON in UTF-8')
  const parsed = v.safeParse(pushSchema, body.value, { abortEarly: true })
  if (!parsed.success) return malformed(placeOf(parsed.issues[0].path), parsed.issues[0].message)
  const reference = parsed.output.reference.toLowerCase()
  if (!v.is(uuid, reference)) return { ok: false, problem: 'unknown_reference' }
  return { ok: true, reference, outcome: answered(parsed.output, null) }
}

function malformed(path: string, message: string): ParsedPush {
  return { ok: false, problem: 'malformed', details: [{ path, message }] }
}
