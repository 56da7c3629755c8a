import * as v from 'valibot'
import { placeOf } from '../messages/issue_place.ts'
import { parseJson } from '../messages/json.ts'
import { storable } from '../messages/storable.ts'
import type { HttpAnswer } from './exchange.ts'

/**
 * A value that fits a schema; or the problem, as in `codes[3] is blank`, without values, because they may be keys.
 */
export type Read<T> = { ok: true; value: T } | { ok: false; problem: string }

const maxRawLength = 2000

/** The JSON in UTF-8 of an answer; undefined if there is none, or it is too large. */
export function jsonOf({ body, tooLarge }: HttpAnswer): unknown {
  return tooLarge ? undefined : parseJson(body)?.value
}

/** Reads the JSON of an answer by a schema. */
export function readAnswer<Schema extends v.GenericSchema>(
  schema: Schema,
  answer: HttpAnswer,
): Read<v.InferOutput<Schema>> {
  if (answer.tooLarge) return { ok: false, problem: 'it is too large' }
  const json = parseJson(answer.body)
  return json === undefined ? { ok: false, problem: 'it is not JSON in UTF-8' } : readValue(schema, json.value)
}

/** Reads a value by a schema. */
export function readValue<Schema extends v.GenericSchema>(schema: Schema, value: unknown): Read<v.InferOutput<Schema>> {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) return { ok: true, value: parsed.output }
  const [issue] = parsed.issues
  const place = placeOf(issue.path)
  const message = issue.input === undefined ? 'is missing' : issue.message
  return { ok: false, problem: place === '' ? 'it is not an object' : `${place} ${message}` }
}

/** The beginning of a body, to be kept with an attempt, without the token; null where it is empty. */
export function quoteBody({ token }: { token: string }, answer: HttpAnswer): string | null {
  // Four bytes a character, and a token that begins within them.
  const beginning = answer.body.subarray(0, 4 * (maxRawLength + token.length))
  const text = new TextDecoder()
    .decode(beginning)
    .replaceAll(token, '[token]')
    // The header that was sent can hold the token in another form.
    .replace(/\bBasic [\w+/-]{8,}={0,2}/g, 'Basic [token]')
  return text === '' ? null : storable(text.slice(0, maxRawLength))
}
