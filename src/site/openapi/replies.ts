import { countedHeaders, type HeaderName, uncountedHeaders } from './headers.ts'
import { schemaRef } from './json_schema.ts'
import type { Examples, MediaType, Operation, Response } from './types.ts'

/** A JSON body of a named schema. */
export function json(schema: string, examples: Examples): { 'application/json': MediaType } {
  return { 'application/json': { schema: schemaRef(schema), examples } }
}

/** A success with a JSON body of a named schema. */
export function ok(
  description: string,
  schema: string,
  examples: Examples,
  { headers = [], counted = true }: { headers?: HeaderName[]; counted?: boolean } = {},
): Response {
  return {
    description,
    headers: counted ? countedHeaders(...headers) : uncountedHeaders(...headers),
    content: json(schema, examples),
  }
}

/** A request's JSON body of a named schema. */
export function jsonBody(
  description: string,
  schema: string,
  examples: Examples,
): Operation['requestBody'] & object {
  return { required: true, description, content: json(schema, examples) }
}

/** A body that is text of some type. */
export function textBody(type: string, examples: Examples = {}): { [type: string]: MediaType } {
  const schema = { type: 'string' as const }
  return { [type]: Object.keys(examples).length > 0 ? { schema, examples } : { schema } }
}
