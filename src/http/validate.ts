import * as v from 'valibot'
import { withoutHidden } from '../messages/hidden_characters.ts'
import { placeOf } from '../messages/issue_place.ts'
import { kindOf } from '../messages/kind_of.ts'
import { nearestName } from '../messages/nearest_name.ts'
import { readObject } from './body.ts'
import type { Context, RouteContext } from './context.ts'
import { type Detail, type ErrorName, invalid, Refusal } from './errors.ts'

/** A value that was checked, or every field at fault. */
export type Checked<T> = { ok: true; value: T } | { ok: false; details: Detail[] }

/** Checks a value against a schema and names all that is wrong with it at once. */
export function check<Schema extends v.GenericSchema>(schema: Schema, value: unknown): Checked<v.InferOutput<Schema>> {
  const parsed = v.safeParse(schema, value)
  if (parsed.success) return { ok: true, value: parsed.output }
  return {
    ok: false,
    details: parsed.issues.map((issue) => ({ path: withoutHidden(placeOf(issue.path)), message: messageOf(issue) })),
  }
}

const typed = ['number', 'string', 'boolean', 'object', 'record', 'array', 'never']

/** What is wrong, with the type that was given instead, or the unknown field that may have been meant. */
function messageOf({ message, kind, type, input, path }: v.BaseIssue<unknown>): string {
  if (input === undefined) {
    const field = path?.at(-1)
    const given = Object.keys(Object(field?.input))
    const meant = given.find((name) => nearestName(name, [String(field?.key)]) !== undefined)
    return meant === undefined
      ? message
      : `${message}; unknown field ${meant.slice(0, 64)}: did you mean ${field?.key}?`
  }
  const isOfAnotherType = kind === 'schema' && typed.includes(type) && kindOf(input) !== `a ${type}`
  return isOfAnotherType && /^must be /.test(message) ? `${message}; got ${kindOf(input)}` : message
}

/** A value that fits a schema. Throws a 400 that names every field at fault. */
export function valid<Schema extends v.GenericSchema>(schema: Schema, value: unknown): v.InferOutput<Schema> {
  const checked = check(schema, value)
  if (!checked.ok) throw invalid(checked.details)
  return checked.value
}

/** Reads a JSON body by a schema. Throws the error of a body that is none, or that does not fit. */
export async function readJson<Schema extends v.GenericSchema>(
  ctx: Context,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  return valid(schema, await readObject(ctx))
}

/** A parameter of the path. Throws the error if it does not fit its schema: what it names is not there. */
export function readParameter(
  ctx: RouteContext,
  name: string,
  { schema, error }: { schema: v.GenericSchema; error?: ErrorName },
): string {
  const value = ctx.params[name] ?? ''
  if (error !== undefined && !v.is(schema, value)) throw new Refusal(error)
  return value
}

/**
 * The query parameters that a schema names. Numbers are given to the schema as numbers. Throws a 400 if one does not
 * fit or comes twice, and if a period begins after its end.
 */
export function readQuery<Schema extends v.ObjectSchema<v.ObjectEntries, v.ErrorMessage<v.ObjectIssue> | undefined>>(
  ctx: Context,
  schema: Schema,
): v.InferOutput<Schema> {
  const parameters = new URLSearchParams(ctx.querystring)
  const names = Object.keys(schema.entries).filter((name) => parameters.has(name))
  const repeated = names.filter((name) => parameters.getAll(name).length > 1)
  if (repeated.length > 0) throw invalid(repeated.map((path) => ({ path, message: 'must be given once' })))
  const given = names.map((name) => [name, valueFor(schema.entries[name], parameters.get(name) ?? '')])
  const query = valid(schema, Object.fromEntries(given))
  const reversed = reversedPeriods(query)
  if (reversed.length > 0) throw invalid(reversed)
  return query
}

const periods = [
  ['from', 'to'],
  ['createdFrom', 'createdTo'],
] as const

function reversedPeriods(query: { [name: string]: unknown }): Detail[] {
  const reversed = periods.filter(([from, to]) => timeOf(query[from]) > timeOf(query[to]))
  return reversed.map(([from, to]) => ({ path: from, message: `must not be after ${to}` }))
}

/** The milliseconds of a time that is UTC unless it has a zone; NaN where there is none. */
function timeOf(value: unknown): number {
  if (typeof value !== 'string') return Number.NaN
  return Date.parse(/^[^T]*(?:$|T.*(?:Z|[+-]\d\d:\d\d)$)/.test(value) ? value : `${value}Z`)
}

function valueFor(entry: unknown, text: string): unknown {
  return isNumeric(entry) && /^\d{1,15}$/.test(text) ? Number(text) : text
}

function isNumeric(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  if ('wrapped' in entry) return isNumeric(entry.wrapped)
  return 'type' in entry && entry.type === 'number'
}
