import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Parameter, Reference } from './types.ts'

/** What JSON Schema cannot say. Each rule made with one of these stands in the description of its schema. */
const beyondJsonSchema = ['check', 'finite', 'max_bytes']

const config: ConversionConfig = {
  target: 'draft-2020-12',
  errorMode: 'throw',
  // What a client sends, before anything is filled in.
  typeMode: 'input',
  ignoreActions: beyondJsonSchema,
  // JSON Schema counts the length of a text in code points, as this does.
  overrideAction: ({ valibotAction, jsonSchema }) =>
    isMaxCodePoints(valibotAction) ? { ...jsonSchema, maxLength: valibotAction.requirement } : undefined,
  overrideRef: ({ referenceId }) => schemaRef(referenceId).$ref,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'nullable' || valibotSchema.type === 'nullish' ? withNull(jsonSchema) : undefined,
}

/** Where a named schema stands in the document. */
export function schemaRef(name: string): Reference {
  return { $ref: `#/components/schemas/${name}` }
}

/**
 * The JSON Schemas (draft 2020-12) of named valibot schemas; one that holds another of them refers to it. Throws where a
 * schema has something that cannot be converted.
 */
export function componentSchemas(schemas: { [name: string]: v.GenericSchema }): {
  [name: string]: JsonSchema
} {
  return toJsonSchemaDefs(schemas, config)
}

/** The JSON Schema of a valibot schema that holds no named one. Throws as `componentSchemas`. */
export function plainSchema(schema: v.GenericSchema): JsonSchema {
  const { $schema, ...plain } = toJsonSchema(schema, config)
  return plain
}

/** The query parameters that a route checks by a schema. */
export function queryParameters(query: { entries: v.ObjectEntries }): Parameter[] {
  return Object.entries(query.entries).map(([name, entry]) => {
    const { description = '', ...schema } = plainSchema(entry as v.GenericSchema)
    return { name, in: 'query', description, schema }
  })
}

/** A parameter of a path, checked by a schema. */
export function pathParameter(
  name: string,
  description: string,
  schema: v.GenericSchema,
  example: unknown,
): Parameter {
  return { name, in: 'path', required: true, description, example, schema: plainSchema(schema) }
}

function isMaxCodePoints(action: {
  type: string
}): action is v.MaxCodePointsAction<string, number, undefined> {
  return action.type === 'max_code_points'
}

// `anyOf: [{type: 'string'}, {type: 'null'}]` as `type: ['string', 'null']`, which is easier to read. That null is the
// default of a field that may be null says nothing.
function withNull({ anyOf = [], default: fallback, ...rest }: JsonSchema): JsonSchema {
  const [wrapped] = anyOf
  const withDefault = fallback === null || fallback === undefined ? rest : { ...rest, default: fallback }
  if (typeof wrapped !== 'object' || wrapped.$ref !== undefined) return { ...withDefault, anyOf }
  if (wrapped.anyOf !== undefined) return { ...withDefault, anyOf: [...wrapped.anyOf, { type: 'null' }] }
  // Generators of clients lose a null that stands in an enum.
  if (typeof wrapped.type !== 'string' || wrapped.enum !== undefined) return { ...withDefault, anyOf }
  return { ...wrapped, type: [wrapped.type, 'null'], ...withDefault }
}
