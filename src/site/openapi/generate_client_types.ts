import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from '@valibot/to-json-schema'
import { openApiDocument } from './document.ts'
import type { Operation, Paths } from './types.ts'

const target = join(import.meta.dirname, '../../client/types.ts')
const title = '// Generated from the OpenAPI document by src/site/openapi/generate_client_types.ts. Do not edit.\n'

/** The text of `src/client/types.ts`: the types of requests, answers and queries of partners. */
export function clientTypes(): string {
  const document = openApiDocument()
  const paths: [string, Paths[string]][] = Object.entries(document.paths)
  const operations = paths
    .filter(([path]) => path.startsWith('/b2b/') || path.startsWith('/simulation/'))
    .flatMap(([, methods]) => Object.values(methods))
  const schemas = document.components.schemas
  const names = reachable(JSON.stringify([operations, document.webhooks, document.components.responses]), schemas)
  const named = Object.entries(schemas).map(([name, schema]) => ({ name, data: dataOf(schema) }))
  const types = named
    .filter(({ name, data }) => names.has(name) && data.$ref === undefined && !isList(data))
    .map(({ name, data }, index, all) => declaration(name, data, schemas, all.slice(0, index)))
  return [title, ...types, ...operations.flatMap((operation) => query(operation, schemas))].join('\n')
}

/** The `data` of an answer, which the client's methods return; any other schema as it is. */
function dataOf(schema: JsonSchema): JsonSchema {
  const { success, data } = Object(schema.properties)
  return success?.const === true && data !== undefined ? data : schema
}

type Schemas = { [name: string]: JsonSchema }

const reference = /#\/components\/schemas\/(\w+)/g

/** The names of the schemas that a text refers to, directly or through others. */
function reachable(text: string, schemas: Schemas, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of text.matchAll(reference)) {
    if (found.has(name)) continue
    found.add(name)
    reachable(JSON.stringify(schemas[name]), schemas, found)
  }
  return found
}

/** A list of a named schema has no name of its own. */
function isList(schema: JsonSchema): boolean {
  return Object(schema.items).$ref !== undefined
}

type Named = { name: string; data: JsonSchema }

/** A type that has the fields of an earlier one, and one more, extends that. */
function declaration(name: string, schema: JsonSchema, schemas: Schemas, before: Named[] = []): string {
  const fields = fieldsOf(schema, schemas, '')
  const has = ({ field }: { field: string }) => fields.some((own) => own.field === field)
  const base = before
    .map(({ name, data }) => ({ name, fields: fieldsOf(data, schemas, '') }))
    .find((other) => fields.length > 1 && other.fields.length === fields.length - 1 && other.fields.every(has))
  const inherited = base?.fields.map(({ text, field }) => text + field) ?? []
  const own = fields.filter(({ text, field }) => !inherited.includes(text + field))
  const extension = { ...schema, properties: Object.fromEntries(own.map(({ name, property }) => [name, property])) }
  const type = base === undefined ? '' : `${base.name} & `
  return `${comment(schema, '')}export type ${name} = ${type}${typeOf(base ? extension : schema, schemas, '')}\n`
}

function query({ operationId, parameters = [] }: Operation, schemas: Schemas): string[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query')
  if (inQuery.length === 0) return []
  const name = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`
  const properties = Object.fromEntries(
    inQuery.map(({ name, description = '', schema }) => [name, { ...schema, description }]),
  )
  const required = inQuery.flatMap((parameter) => (parameter.required ? [parameter.name] : []))
  return [declaration(name, { type: 'object', properties, required }, schemas)]
}

function typeOf(schema: JsonSchema | boolean, schemas: Schemas, indent: string): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never'
  const { $ref, anyOf, oneOf, allOf, enum: values, type } = schema
  const inner = (one: JsonSchema | boolean) => typeOf(one, schemas, indent)
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return isList(schemas[name] ?? {}) ? inner(schemas[name] ?? false) : name
  const some = anyOf ?? oneOf
  if (some) return union(some.map(inner))
  if (allOf) return allOf.map((one) => `(${inner(one)})`).join(' & ')
  if ('const' in schema) return literal(schema.const)
  if (values) return union([...values.map(literal), ...(type?.includes('null') ? ['null'] : [])])
  return union([type ?? []].flat().map((one) => plainType(one, schema, schemas, indent)))
}

function plainType(type: string, schema: JsonSchema, schemas: Schemas, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') {
    const items = [schema.items ?? true].flat()
    const item = union(items.map((one) => typeOf(one, schemas, indent)))
    return item.includes(' | ') || item.includes(' & ') ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? objectType(schema, schemas, indent) : type
}

/** The fields of an object, each with its comment and its property. */
function fieldsOf({ properties = {}, required = [] }: JsonSchema, schemas: Schemas, indent: string) {
  return Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?'
    const rest = optional && ' | undefined'
    const text = typeof property === 'boolean' ? '' : comment(property, indent)
    return { name, property, text, field: `${name}${optional}: ${typeOf(property, schemas, indent)}${rest}` }
  })
}

function objectType(schema: JsonSchema, schemas: Schemas, indent: string): string {
  const { properties, additionalProperties = true } = schema
  const inner = `${indent}  `
  if (properties === undefined) return `{ [name: string]: ${typeOf(additionalProperties, schemas, inner)} }`
  const fields = fieldsOf(schema, schemas, inner)
  const line = `{ ${fields.map(({ field }) => field).join('; ')} }`
  const isShort = !line.includes('\n') && line.length <= maxInline && fields.every(({ text }) => text === '')
  if (isShort) return line
  return `{\n${fields.map(({ text, field }) => `${withComment(text, `${inner}${field}`)}\n`).join('')}${indent}}`
}

/** A field with its comment, in one line where both fit. */
function withComment(text: string, field: string): string {
  const line = `${text.trimEnd()} ${field.trimStart()}`
  const isShort = text !== '' && !line.includes('\n') && line.length <= maxColumns
  return isShort ? line : `${text}${wrapUnion(field)}`
}

const maxColumns = 120
const maxInline = 80

/** Breaks a union that does not fit in a line before as few of its types as will do. */
function wrapUnion(field: string): string {
  if (field.includes('\n')) return field
  const indent = /^ */.exec(field)?.[0] ?? ''
  const [first = '', ...others] = field.split(' | ')
  const lines = [first]
  for (const type of others) {
    const line = `${lines.at(-1)} | ${type}`
    if (line.length <= maxColumns) lines[lines.length - 1] = line
    else lines.push(`${indent}  | ${type}`)
  }
  return lines.join('\n')
}

function union(types: string[]): string {
  return types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function comment({ description }: JsonSchema, indent: string): string {
  if (!description) return ''
  const text = description.replaceAll('*/', '* /')
  const line = `${indent}/** ${text} */\n`
  if (line.length <= maxColumns + 1) return line
  const lines = [`${indent} *`]
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length <= maxColumns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent} * ${word}`)
  }
  return `${indent}/**\n${lines.join('\n')}\n${indent} */\n`
}

// node src/site/openapi/generate_client_types.ts [--check]: writes the file, or exits with 1 if it is out of date.
if (import.meta.main) {
  const text = clientTypes()
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text)
  } else if (readFileSync(target, 'utf8') !== text) {
    console.error('src/client/types.ts is out of date: run node src/site/openapi/generate_client_types.ts')
    process.exitCode = 1
  }
}
