import type { ErrorName } from '../../http/errors.ts'
import { countedHeaders, type HeaderName, uncountedHeaders } from './headers.ts'
import { schemaRef } from './json_schema.ts'
import { commonResponses, refusals, responseRef } from './refusals.ts'
import type { Examples, MediaType, Operation, Parameter, Response, Responses } from './types.ts'

type Access = Pick<Operation, 'responses' | 'security'> & {
  /** The errors of an operation without a body. */
  errors?: ErrorName[]
}

const anyOf = (...schemes: string[]): Operation['security'] => schemes.map((scheme) => ({ [scheme]: [] }))

const keyRefusals = (forbidden: Parameters<typeof responseRef>[0]): Responses => ({
  401: responseRef('Unauthorized'),
  403: responseRef(forbidden),
})

/** The credentials of an operation, and the refusals that come with them. */
const accesses = {
  // All below /b2b refuse parameters that they do not take.
  key: { responses: keyRefusals('Forbidden'), errors: ['VALIDATION_ERROR'] },
  keyForWrites: { responses: keyRefusals('ForbiddenWrite') },
  testKey: { responses: keyRefusals('ForbiddenSimulation') },
  keyInHeaderOrQuery: { security: anyOf('apiKey', 'apiKeyInQuery'), responses: keyRefusals('Forbidden') },
  keyInQuery: { security: anyOf('apiKeyInQuery'), responses: keyRefusals('Forbidden') },
  password: {
    security: anyOf('docsPassword'),
    responses: refusals(['DOCS_PASSWORD'], { headers: ['WWW-Authenticate'] }),
  },
  supplierSignature: { security: anyOf('supplierSignature'), responses: {} },
  upstreamSignature: { security: anyOf('upstreamSignature'), responses: {} },
  none: { security: [], responses: {} },
} satisfies { [name: string]: Access }

type Described = {
  id: string
  tag: string
  summary: string
  description: string
  /** Where the credentials are; `key`, as below /b2b, unless it says otherwise. */
  access?: keyof typeof accesses
  parameters?: Parameter[]
  body?: NonNullable<Operation['requestBody']>
  answers: Responses
  /** The errors of this operation, besides those of its access, its query and its body. */
  errors?: ErrorName[]
  /** The refusals that any operation of its kind has. */
  common?: Responses
}

/** An operation, with the refusals that it shares with others. */
export function operation(described: Described): Operation {
  const { id, tag, summary, description, parameters, body, answers, errors = [] } = described
  const { access = 'key', common = commonResponses } = described
  const { security, responses: ofAccess, errors: ofQuery = [] }: Access = accesses[access]
  const ofBody: ErrorName[] = ['VALIDATION_ERROR', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(security === undefined ? {} : { security }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...answers,
      ...ofAccess,
      ...common,
      ...refusals([...(body === undefined ? ofQuery : ofBody), ...errors]),
    },
  }
}

/** A success with a JSON body of a named schema. */
export function ok(
  description: string,
  schema: string,
  examples: Examples,
  headers: HeaderName[] = ['Cache-Control'],
): Response {
  return { description, headers: countedHeaders(...headers), content: json(schema, examples) }
}

/** As `ok`, for an answer that does not count against the rate limit. */
export function uncountedOk(description: string, schema: string, examples: Examples): Response {
  return { description, headers: uncountedHeaders(), content: json(schema, examples) }
}

/** A JSON body of a named schema. */
export function json(schema: string, examples: Examples): { 'application/json': MediaType } {
  return { 'application/json': { schema: schemaRef(schema), examples } }
}

/** A request's JSON body of a named schema. */
export function jsonBody(
  schema: string,
  examples: Examples,
  description = 'At most 64 KiB of JSON in UTF-8, not compressed.',
): NonNullable<Operation['requestBody']> {
  return { required: true, description, content: json(schema, examples) }
}

/** A body that is text of some type. */
export function textBody(type: string, examples?: Examples): { [type: string]: MediaType } {
  const schema = { type: 'string' as const }
  return { [type]: examples === undefined ? { schema } : { schema, examples } }
}
