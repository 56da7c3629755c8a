/** The TypeScript type of each type of result, by the name that PostgreSQL's `format_type` gives the type. */
export type ResultTypes = {
  boolean: boolean
  integer: number
  'double precision': number
  // Too large or too exact for a JavaScript number.
  bigint: string
  numeric: string
  text: string
  uuid: string
  cidr: string
  inet: string
  date: string
  interval: string
  // The text, so that JSON made in SQL is passed on byte by byte.
  json: string
  jsonb: unknown
  'timestamp with time zone': Date
  void: undefined
}

/** Whether a value of this type travels as JSON: of the schema `supply`, or an array of these. */
export const isJson = (type: string): boolean => type.startsWith('supply.')

/** The same in JSON. */
export type JsonTypes = Omit<ResultTypes, 'bigint' | 'numeric' | 'timestamp with time zone'> & {
  bigint: number
  numeric: number
  'timestamp with time zone': string
}

/**
 * The types of arguments that differ from those of results. A `jsonb` argument is any value that JSON can express.
 */
export type ArgumentTypes = {
  bigint: string | number | bigint
  numeric: string | number | bigint
  'timestamp with time zone': Date | string
}

/** How the client reads a type; without `parse`, as PostgreSQL's text. */
type TypeRule = { oid: number; parse?: (text: string) => unknown }

/** The types that functions may take and return. An argument may also be an array of one. Enums are texts. */
export const typeRules: { readonly [type: string]: TypeRule } = {
  boolean: { oid: 16, parse: (value) => value === 't' },
  integer: { oid: 23, parse: Number },
  'double precision': { oid: 701, parse: Number },
  bigint: { oid: 20 },
  numeric: { oid: 1700 },
  text: { oid: 25 },
  uuid: { oid: 2950 },
  cidr: { oid: 650 },
  inet: { oid: 869 },
  date: { oid: 1082 },
  interval: { oid: 1186 },
  json: { oid: 114 },
  jsonb: { oid: 3802, parse: (value) => JSON.parse(value) },
  'timestamp with time zone': { oid: 1184, parse: (value) => new Date(value) },
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
