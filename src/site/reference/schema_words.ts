import type { JsonSchema } from '@valibot/to-json-schema'
import type { Reference } from '../openapi/types.ts'
import { componentOf, isReference } from './api_document.ts'

export type Schemas = { [name: string]: JsonSchema }

/** A schema without references and with its `allOf` merged. */
export type ReadSchema = {
  schema: JsonSchema
  nullable: boolean
  /** The alternatives of a choice; empty without one. */
  variants: (JsonSchema | Reference)[]
}

/** Reads a schema, which must not contain itself. Throws for a broken reference. */
export function readSchema(schemas: Schemas, given: JsonSchema | Reference): ReadSchema {
  if (isReference(given)) {
    const read = readSchema(schemas, componentOf(schemas, given))
    const { $ref, ...own } = given as JsonSchema
    return { ...read, schema: withOwn(read.schema, own) }
  }
  const { anyOf, oneOf, allOf, ...own } = given
  if (allOf !== undefined) return putTogether(schemas, own, allOf.filter(isSchema))
  const choices = (anyOf ?? oneOf ?? []).filter(isSchema)
  const others = choices.filter((choice) => choice.type !== 'null')
  const [only] = others
  if (others.length === 1 && only !== undefined) {
    const read = readSchema(schemas, only)
    return { ...read, schema: withOwn(read.schema, own), nullable: read.nullable || others.length < choices.length }
  }
  const types = [own.type ?? []].flat()
  const nullable = others.length < choices.length || types.includes('null')
  return { schema: withoutNull(own), nullable, variants: others }
}

/** True for a schema that is an object; JSON Schema also has `true` and `false`. */
export function isSchema(schema: unknown): schema is JsonSchema {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
}

/** The name of its type: `string`, `array of objects`. */
export function typeOf(schemas: Schemas, { schema, variants, nullable }: ReadSchema): string {
  const name = plainType(schemas, schema, variants)
  return nullable ? `${name} or null` : name
}

/** The limits of a schema's values, each as a short text; `code` marks code. */
export function limitsOf(schema: JsonSchema, code: (text: string) => string): string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, minProperties, maxProperties } = schema
  return [
    ...range(minimum, maximum, ''),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' entries'),
    ...range(minProperties, maxProperties, ' keys'),
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map((one) => code(textOf(one))).join(', ')}`]),
    ...(schema.const === undefined ? [] : [`always ${code(textOf(schema.const))}`]),
    ...(schema.pattern === undefined ? [] : [`matches ${code(schema.pattern)}`]),
    ...(schema.default === undefined ? [] : [`default ${code(textOf(schema.default))}`]),
    ...(schema.examples ?? []).slice(0, 1).map((one) => `for example ${code(textOf(one))}`),
  ]
}

function putTogether(schemas: Schemas, own: JsonSchema, parts: JsonSchema[]): ReadSchema {
  const read = parts.map((part) => readSchema(schemas, part))
  const all = [...read.map(({ schema }) => schema), own]
  const properties: { [name: string]: JsonSchema } = {}
  for (const [name, property] of all.flatMap((schema) => Object.entries(schema.properties ?? {}))) {
    if (isSchema(property)) properties[name] = { ...properties[name], ...property }
  }
  return {
    schema: {
      ...Object.assign({}, ...all),
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      required: all.flatMap(({ required = [] }) => required),
    },
    nullable: false,
    variants: read.flatMap(({ variants }) => variants),
  }
}

// The description of the field comes before that of its type.
function withOwn(general: JsonSchema, own: JsonSchema): JsonSchema {
  const descriptions = [own.description, general.description].filter((text) => text !== undefined)
  if (descriptions.length === 0) return { ...general, ...own }
  return { ...general, ...own, description: [...new Set(descriptions)].join('\n\n') }
}

function withoutNull(schema: JsonSchema): JsonSchema {
  const [type, ...others] = [schema.type ?? []].flat().filter((one) => one !== 'null')
  if (type === undefined) return schema
  return { ...schema, type: others.length > 0 ? [type, ...others] : type }
}

function plainType(schemas: Schemas, schema: JsonSchema, variants: (JsonSchema | Reference)[]): string {
  if (variants.length > 0) {
    const types = variants.map((variant) => typeOf(schemas, readSchema(schemas, variant)))
    return [...new Set(types)].join(' or ')
  }
  if (schema.type === 'array' && isSchema(schema.items)) {
    return `array of ${plural(typeOf(schemas, readSchema(schemas, schema.items)))}`
  }
  if (schema.type === 'string' && schema.format !== undefined) return `string, ${schema.format}`
  if (schema.type !== undefined) return [schema.type].flat().join(' or ')
  const [value = schema.const] = schema.enum ?? []
  return value === undefined ? 'any' : typeof value
}

function plural(type: string): string {
  const [, first = type, rest = ''] = /^(\w+)(.*)$/s.exec(type) ?? []
  return `${first}s${rest}`
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from !== undefined && to !== undefined) {
    return [from === to ? `exactly ${from}${unit}` : `${from} to ${to}${unit}`]
  }
  if (from !== undefined) return [`at least ${from}${unit}`]
  return to === undefined ? [] : [`at most ${to}${unit}`]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
