import { parseJson } from '../messages/json.ts'
import type { HttpAnswer } from './exchange.ts'

/** The body of an answer as JSON, or why it cannot be read. */
export type ReadBody = { readable: true; value: unknown } | { readable: false; problem: string }

const rawLimit = 2000

/** Reads the body of an answer as JSON in UTF-8. */
export function readJsonBody(answer: HttpAnswer): ReadBody {
  if (answer.tooLarge) return { readable: false, problem: 'it is too large' }
  const parsed = parseJson(answer.body)
  if (parsed === undefined) return { readable: false, problem: 'it is not JSON in UTF-8' }
  return { readable: true, value: parsed.value }
}

/** The beginning of a body, to be kept with an attempt, without the token; null where it is empty. */
export function quoteBody({ token }: { token: string }, answer: HttpAnswer): string | null {
  // Four bytes a character, and a token that begins within them.
  const beginning = answer.body.subarray(0, 4 * (rawLimit + token.length))
  const text = new TextDecoder().decode(beginning).replaceAll(token, '[token]')
  return text === '' ? null : text.slice(0, rawLimit).replaceAll('\u0000', '\uFFFD').toWellFormed()
}
