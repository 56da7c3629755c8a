/** A PostgreSQL type as TypeScript sees it. */
type TypeRule = {
  oid: number
  arrayOid: number
  /** The TypeScript type of a result. */
  result: string
  /** The TypeScript type of an argument. */
  arg: string
  /** Makes a result of PostgreSQL's text. Absent: the text itself. */
  parse?: (text: string) => unknown
}

const text = (oid: number, arrayOid: number): TypeRule => ({ oid, arrayOid, result: 'string', arg: 'string' })

const number = (oid: number, arrayOid: number): TypeRule => ({
  ...{ oid, arrayOid, result: 'number', arg: 'number', parse: Number },
})

// Too large or too exact for a JavaScript number.
const exact = (oid: number, arrayOid: number): TypeRule => ({
  ...{ oid, arrayOid, result: 'string', arg: 'string | number | bigint' },
})

const time = (oid: number, arrayOid: number): TypeRule => ({
  ...{ oid, arrayOid, result: 'Date', arg: 'Date | string', parse: (value: string) => new Date(value) },
})

/**
 * The types that functions may take and give, by the name that PostgreSQL's `format_type` gives them.
 * `json` results are raw text, so that JSON made in SQL is passed on byte by byte; a `json` argument is text too.
 * `jsonb` is parsed, and a `jsonb` argument is any value that JSON can express (null is SQL's null).
 */
export const typeRules: { readonly [type: string]: TypeRule } = {
  boolean: { oid: 16, arrayOid: 1000, result: 'boolean', arg: 'boolean', parse: (value) => value === 't' },
  smallint: number(21, 1005),
  integer: number(23, 1007),
  real: number(700, 1021),
  'double precision': number(701, 1022),
  bigint: exact(20, 1016),
  numeric: exact(1700, 1231),
  text: text(25, 1009),
  'character varying': text(1043, 1015),
  name: text(19, 1003),
  uuid: text(2950, 2951),
  inet: text(869, 1041),
  cidr: text(650, 651),
  interval: text(1186, 1187),
  json: text(114, 199),
  jsonb: {
    oid: 3802,
    arrayOid: 3807,
    result: 'unknown',
    arg: 'unknown',
    parse: (value) => JSON.parse(value),
  },
  bytea: {
    ...{ oid: 17, arrayOid: 1001, result: 'Uint8Array', arg: 'Uint8Array' },
    parse: (value) => Buffer.from(value.slice(2), 'hex'),
  },
  date: time(1082, 1182),
  'timestamp without time zone': time(1114, 1115),
  'timestamp with time zone': time(1184, 1185),
}

type PostgresJsType = {
  to: number
  from: number[]
  parse: (text: string) => unknown
  serialize: (text: string) => string
}

/** All results' types for postgres.js, arrays among them. Its parameters are texts already. */
export function postgresJsTypes(): { [name: string]: PostgresJsType } {
  const same = (value: string) => value
  const type = (oid: number, parse: (text: string) => unknown) => ({
    to: oid,
    from: [oid],
    parse,
    serialize: same,
  })
  return Object.fromEntries(
    Object.values(typeRules).flatMap(({ oid, arrayOid, parse = same }) => [
      [`type_${oid}`, type(oid, parse)],
      [`type_${arrayOid}`, type(arrayOid, (value) => parseArray(value, parse))],
    ]),
  )
}

/** An argument as PostgreSQL reads it; null and undefined are SQL's null. Throws on what the type cannot be made of. */
export function toText(value: unknown, type: string): string | null {
  if (value === null || value === undefined) return null
  if (type.endsWith('[]')) return arrayText(value, type.slice(0, -'[]'.length))
  if (type === 'jsonb') return jsonText(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
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

// An element: quoted with backslash escapes, or bare up to the next comma. PostgreSQL closes each quote; that the
// expression asks for none saves it from looking through the rest of the text for one, again for each quote.
const arrayElement = /"((?:[^"\\]|\\.)*)"?|([^",{}]+)/gs

/** The elements of a one-dimensional array in PostgreSQL's text form. Throws on more dimensions. */
export function parseArray(literal: string, parse: (text: string) => unknown): unknown[] {
  const body = literal.slice(1, -1)
  if (!literal.startsWith('{') || body.startsWith('{'))
    throw new TypeError('only arrays of one dimension are supported')
  return [...body.matchAll(arrayElement)].map(([, quoted, bare]) => {
    if (quoted !== undefined) return parse(quoted.replaceAll(/\\(.)/gs, '$1'))
    return bare === undefined || bare === 'NULL' ? null : parse(bare)
  })
}
