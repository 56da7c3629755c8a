import type { JsonSchema } from '@valibot/to-json-schema'
import type { Reference } from './types.ts'

type Schemas = { [name: string]: JsonSchema }

/** The values of fields that need no example of their own, by format. */
const formats: { [format: string]: string } = {
  'date-time': '2026-03-02T09:41:07.498Z',
  uuid: '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
  uri: 'https://hooks.shop.example/supply',
}

/**
 * An example of a schema, composed of those of its fields. A field without one is null if it can be, and is left out
 * where it is optional. Throws for a field that needs an example and has none.
 */
export function compose(schemas: Schemas, schema: JsonSchema | Reference, place = 'the body'): unknown {
  const { $ref, examples, enum: values, const: constant, type, anyOf, format, minimum } = schema as JsonSchema
  if (examples !== undefined) return examples[0]
  if (constant !== undefined) return constant
  if (type?.includes('null') || anyOf?.some((one) => Object(one).type === 'null')) return null
  const name = $ref?.split('/').at(-1)
  if (name !== undefined) return compose(schemas, schemas[name] ?? {}, name)
  if (values !== undefined) return values[0]
  if (type === 'array') return [compose(schemas, Object(Object(schema).items), place)]
  if (type === 'object') return composeObject(schemas, schema as JsonSchema, place)
  if (type === 'boolean') return false
  if (type === 'integer') return minimum ?? 0
  const value = format && formats[format]
  if (value === undefined) throw new Error(`${place} needs an example`)
  return value
}

function composeObject(schemas: Schemas, { properties = {}, required = [] }: JsonSchema, place: string): object {
  const shown = Object.entries(properties).filter(([name, property]) => {
    return required.includes(name) || Object(property).examples !== undefined
  })
  return Object.fromEntries(shown.map(([name, one]) => [name, compose(schemas, Object(one), `${place}.${name}`)]))
}
