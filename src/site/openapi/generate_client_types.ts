import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from '@valibot/to-json-schema'
import { openApiDocument } from './document.ts'
import type { Operation, Paths } from './types.ts'

const target = join(import.meta.dirname, '../../client/types.ts')
const title =
  '// Generated from the OpenAPI document by src/site/openapi/generate_client_types.ts. Do not edit.\n'

/** The text of `src/client/types.ts`: what partners send and get, and their queries. */
export function clientTypes(): string {
  const document = openApiDocument()
  const paths: [string, Paths[string]][] = Object.entries(document.paths)
  const operations = paths
    .filter(([path]) => path.startsWith('/b2b/') || path.startsWith('/simulation/'))
    .flatMap(([, methods]) => Object.values(methods))
  const schemas = document.components.schemas
  const names = reachable(
    JSON.stringify([operations, document.webhooks, document.components.responses]),
    schemas,
  )
  const named = Object.entries(schemas).filter(([name]) => names.has(name) && !isUnnamed(name))
  const types = named.map(([name, schema]) => declaration(name, schema, schemas))
  return [title, ...types, ...operations.flatMap((operation) => query(operation, schemas))].join('\n')
}

type Schemas = { [name: string]: JsonSchema }

const reference = /#\/components\/schemas\/(\w+)/g

/** The names of the schemas that a text refers to, themselves or by others. */
function reachable(text: string, schemas: Schemas, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of text.matchAll(reference)) {
    if (found.has(name)) continue
    found.add(name)
    reachable(JSON.stringify(schemas[name]), schemas, found)
  }
  return found
}

/** What is looked at by its value has no name of its own, but a number. */
function isUnnamed(name: string): boolean {
  return /^\d+$/.test(name)
}

function declaration(name: string, schema: JsonSchema, schemas: Schemas): string {
  return `${comment(schema, '')}export type ${name} = ${typeOf(schema, schemas, '')}\n`
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
  if (name !== undefined) return isUnnamed(name) ? inner(schemas[name] ?? false) : name
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

function objectType(schema: JsonSchema, schemas: Schemas, indent: string): string {
  const { properties, required = [], additionalProperties = true } = schema
  if (properties === undefined)
    return `{ [name: string]: ${typeOf(additionalProperties, schemas, `${indent}  `)} }`
  const fields = Object.entries(properties).map(([name, property]) => {
    const optional = required.includes(name) ? '' : '?'
    const rest = optional && ' | undefined'
    const text = typeof property === 'boolean' ? '' : comment(property, `${indent}  `)
    return `${text}${indent}  ${name}${optional}: ${typeOf(property, schemas, `${indent}  `)}${rest}\n`
  })
  return `{\n${fields.join('')}${indent}}`
}

function union(types: string[]): string {
  return types.length === 0 ? 'unknown' : [...new Set(types)].join(' | ')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function comment({ description }: JsonSchema, indent: string): string {
  return description ? `${indent}/** ${description.replaceAll('*/', '* /')} */\n` : ''
}

// node src/site/openapi/generate_client_types.ts [--check]: writes the file, or exits with 1 if it is not what the
// document says.
if (import.meta.main) {
  const text = clientTypes()
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text)
  } else if (readFileSync(target, 'utf8') !== text) {
    console.error(
      'src/client/types.ts is not what the OpenAPI document says: run node src/site/openapi/generate_client_types.ts',
    )
    process.exitCode = 1
  }
}
