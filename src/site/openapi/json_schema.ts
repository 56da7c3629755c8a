import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Parameter, Reference } from './types.ts'

/** Rules that JSON Schema cannot express. The description of the schema names each of them. */
const beyondJsonSchema = ['check', 'finite', 'max_bytes']

const config: ConversionConfig = {
  target: 'draft-2020-12',
  errorMode: 'throw',
  // Requests as the client sends them, without defaults.
  typeMode: 'input',
  ignoreActions: beyondJsonSchema,
  overrideAction: ({ valibotAction, jsonSchema }) => {
    // JSON Schema counts the length of a string in code points too.
    if (isMaxCodePoints(valibotAction)) return { ...jsonSchema, maxLength: valibotAction.requirement }
    const format = formatOf(valibotAction)
    return format === undefined ? undefined : { ...jsonSchema, format }
  },
  overrideRef: ({ referenceId }) => schemaRef(referenceId).$ref,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'nullable' || valibotSchema.type === 'nullish' ? withNull(jsonSchema) : undefined,
}

/** A reference to a named schema of the document. */
export function schemaRef(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * The JSON Schemas (draft 2020-12) of named valibot schemas; one that contains another refers to it. Throws if a
 * schema cannot be converted.
 */
export function componentSchemas(schemas: { [name: string]: v.GenericSchema }): { [name: string]: JsonSchema } {
  return toJsonSchemaDefs(schemas, config)
}

/** The JSON Schema of a valibot schema without named ones in it. Throws if it cannot be converted. */
export function plainSchema(schema: v.GenericSchema): JsonSchema {
  const { $schema, ...plain } = toJsonSchema(schema, config)
  return plain
}

/** The query parameters of a route, from the schema that checks them. */
export function queryParameters(query: { entries: v.ObjectEntries }): Parameter[] {
  return Object.entries(query.entries).map(([name, entry]) => {
    const { description = '', ...schema } = plainSchema(entry as v.GenericSchema)
    return { name, in: 'query', description, schema }
  })
}

function isMaxCodePoints(action: { type: string }): action is v.MaxCodePointsAction<string, number, undefined> {
  return action.type === 'max_code_points'
}

// A metadata action may name the format of a string, which valibot itself does not check.
function formatOf(action: { type: string; metadata?: unknown }): string | undefined {
  const { format } = Object(action.metadata)
  return action.type === 'metadata' && typeof format === 'string' ? format : undefined
}

// `type: ['string', 'null']` is easier to read than `anyOf: [{type: 'string'}, {type: 'null'}]`. A generated client would
// require a field that has a default.
function withNull({ anyOf = [], default: _, ...rest }: JsonSchema): JsonSchema {
  const [wrapped] = anyOf
  if (typeof wrapped !== 'object' || wrapped.$ref !== undefined) return { ...rest, anyOf }
  if (wrapped.anyOf !== undefined) return { ...rest, anyOf: [...wrapped.anyOf, { type: 'null' }] }
  // Client generators lose a null in an enum.
  if (typeof wrapped.type !== 'string' || wrapped.enum !== undefined) return { ...rest, anyOf }
  return { ...wrapped, type: [wrapped.type, 'null'], ...rest }
}
