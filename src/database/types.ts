/** A PostgreSQL type as TypeScript sees it. */
type TypeRule = {
  oid: number
  /** The TypeScript type of a result. */
  result: string
  /** The TypeScript type of an argument. */
  arg: string
  /** Makes a result of PostgreSQL's text. Absent: the text itself. */
  parse?: (text: string) => unknown
}

const text = (oid: number): TypeRule => ({ oid, result: 'string', arg: 'string' })

const number = (oid: number): TypeRule => ({ oid, result: 'number', arg: 'number', parse: Number })

// Too large or too exact for a JavaScript number.
const exact = (oid: number): TypeRule => ({ oid, result: 'string', arg: 'string | number | bigint' })

/**
 * The types that functions may take and return, by the name that PostgreSQL's `format_type` has for them; an argument
 * may also be an array of one. `json` results are raw text, so that JSON made in SQL is passed on byte by byte; a `json`
 * argument is text too. `jsonb` is parsed, and a `jsonb` argument is any value that JSON can express (null is SQL's
 * null).
 */
export const typeRules: { readonly [type: string]: TypeRule } = {
  boolean: { oid: 16, result: 'boolean', arg: 'boolean', parse: (value) => value === 't' },
  integer: number(23),
  'double precision': number(701),
  bigint: exact(20),
  numeric: exact(1700),
  text: text(25),
  uuid: text(2950),
  cidr: text(650),
  date: text(1082),
  interval: text(1186),
  json: text(114),
  jsonb: { oid: 3802, result: 'unknown', arg: 'unknown', parse: (value) => JSON.parse(value) },
  'timestamp with time zone': {
    ...{ oid: 1184, result: 'Date', arg: 'Date | string', parse: (value) => new Date(value) },
  },
}

type PostgresJsType = {
  to: number
  from: number[]
  parse: (text: string) => unknown
  serialize: (text: string) => string
}

/** The types of results for postgres.js. Its parameters are texts already. */
export function postgresJsTypes(): { [name: string]: PostgresJsType } {
  const same = (value: string) => value
  return Object.fromEntries(
    Object.values(typeRules).map(({ oid, parse = same }) => [
      `type_${oid}`,
      { to: oid, from: [oid], parse, serialize: same },
    ]),
  )
}

/** An argument as PostgreSQL reads it; null and undefined are SQL's null. Throws on what the type cannot be made of. */
export function toText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null
  if (type.endsWith('[]')) return arrayText(value, type.slice(0, -'[]'.length))
  if (type === 'jsonb') return jsonText(value)
  if (value instanceof Date) return value.toISOString()
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value)
  throw new TypeError(`not a value of type ${type}`)
}

function arrayText(value: unknown, elementType: string): string {
  if (!Array.isArray(value)) throw new TypeError(`not an array of type ${elementType}`)
  const elements = value.map((element: unknown) => {
    const elementText = toText(element, elementType)
    return elementText === null ? 'NULL' : `"${elementText.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${elements.join(',')}}`
}

function jsonText(value: unknown): string {
  const json: string | undefined = JSON.stringify(value)
  if (json === undefined) throw new TypeError('not a value that JSON can express')
  return json
}
