import { type Access, type AccessName, accesses } from '../../http/access.ts'
import type { ErrorName } from '../../http/errors.ts'
import type { Answer, Described, HeaderParam, Route } from '../../http/routes/route.ts'
import { answerName, schemaName, schemas } from './components.ts'
import { compose } from './compose.ts'
import { countedHeaders, uncountedHeaders } from './headers.ts'
import { plainSchema, queryParameters, schemaRef } from './json_schema.ts'
import { commonResponses, refusals, responseRef, sharedResponses } from './refusals.ts'
import { scenarios } from './scenarios.ts'
import type { Examples, MediaType, Operation, Parameter, Paths, Response, Responses } from './types.ts'

/** The operations of the routes that are described, by path and method. */
export function pathsOf(routes: readonly Route<never>[]): Paths {
  const paths: Paths = {}
  for (const route of routes) {
    if (route.id === undefined) continue
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operation(route) }
  }
  return paths
}

function operation(route: Route<never> & Described): Operation {
  const { id, tag, summary, description, body, access } = route
  const parameters = parametersOf(route)
  const schemes = schemesOf[access]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(schemes && { security: schemes.map((scheme) => ({ [scheme]: [] })) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.optional,
        description: body.description ?? 'At most 64 KiB of JSON in UTF-8, not compressed.',
        content: { 'application/json': jsonBody(schemaName(body.schema), scenarios[id]?.body) },
      },
    }),
    responses: responsesOf(route),
  }
}

/** The security schemes by access. Most operations have the document's own. */
const schemesOf: { [name in AccessName]?: string[] } = {
  keyInHeaderOrQuery: ['apiKey', 'apiKeyInQuery'],
  keyInQuery: ['apiKeyInQuery'],
  password: ['docsPassword'],
  supplierSignature: ['supplierSignature'],
  upstreamSignature: ['upstreamSignature'],
  healthCheck: [],
  none: [],
}

function parametersOf({ params = {}, query, headers = [] }: Route<never>): Parameter[] {
  return [
    ...Object.entries(params).map(([name, { description, example, schema }]): Parameter => {
      return { name, in: 'path', required: true, description, example, schema: plainSchema(schema) }
    }),
    ...(query ? queryParameters(query) : []),
    ...headers.map(({ schema, ...header }: HeaderParam): Parameter => {
      return { ...header, in: 'header', schema: plainSchema(schema) }
    }),
  ]
}

function responsesOf(route: Route<never> & Described): Responses {
  const { id, answers, errors = [], access, body } = route
  const { key, strictQuery, uncounted }: Access = accesses[access]
  const isHealthCheck = uncounted === 'health check'
  const ofBody: ErrorName[] = ['VALIDATION_ERROR', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  const ofRequest: ErrorName[] = body ? ofBody : strictQuery ? ['VALIDATION_ERROR'] : []
  const isPage = Object.values(answers).some(({ types }) => types?.includes('text/html'))
  const responses: Responses = {
    ...Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, responseOf(id, status, answer, isHealthCheck)]),
    ),
    ...(key && { 401: responseRef('Unauthorized'), 403: responseRef(forbiddenFor(route)) }),
    ...(uncounted === 'push' && { 403: responseRef('ForbiddenOrigin') }),
    ...(access === 'password' && refusals(['DOCS_PASSWORD'], { headers: ['WWW-Authenticate'] })),
    ...commonResponses(isHealthCheck ? errors : undefined),
    ...(!isHealthCheck && refusals([...ofRequest, ...errors])),
  }
  return isPage ? withForms(responses) : responses
}

/** The responses of a page: a browser that is refused gets a page, too. */
function withForms(responses: Responses): Responses {
  const refused = Object.entries(responses).filter(([status]) => ['401', '403'].includes(status))
  const pages = refused.map(([status, response]) => {
    const name = '$ref' in response ? response.$ref.slice(response.$ref.lastIndexOf('/') + 1) : undefined
    const whole = name === undefined ? (response as Response) : sharedResponses[name as keyof typeof sharedResponses]
    return [status, { ...whole, content: { ...whole.content, 'text/html': { schema: { type: 'string' as const } } } }]
  })
  return { ...responses, ...Object.fromEntries(pages) }
}

function forbiddenFor({ access, method }: Route<never>): Parameters<typeof responseRef>[0] {
  if (access === 'testKey') return 'ForbiddenSimulation'
  return method === 'post' ? 'ForbiddenWrite' : 'Forbidden'
}

function responseOf(id: string, status: string, answer: Answer, isUncounted: boolean): Response {
  const { description, data, types = [], headers = ['Cache-Control'], links } = answer
  const content: { [type: string]: MediaType } = {
    ...(data && { 'application/json': jsonBody(answerName(data), successes(scenarios[id]?.[Number(status)])) }),
    ...Object.fromEntries(types.map((type) => [type, plainBody(id, type)])),
  }
  return {
    description,
    headers: isUncounted ? uncountedHeaders(...headers) : countedHeaders(...headers),
    ...(Object.keys(content).length > 0 && { content }),
    ...(links && { links }),
  }
}

function plainBody(id: string, type: string): MediaType {
  const schema = { type: type === 'application/json' ? ('object' as const) : ('string' as const) }
  const values = type === 'text/csv' ? scenarios[id]?.csv : undefined
  return { schema, ...(values && { examples: examplesOf(values) }) }
}

type Values = { [title: string]: unknown }

/** A JSON body of a named schema. Without other examples, its example is composed of those of its fields. */
export function jsonBody(name: string, values?: Values): MediaType {
  const schema = schemaRef(name)
  return { schema, examples: examplesOf(values ?? { Example: compose(schemas, schema) }) }
}

function examplesOf(values: Values): Examples {
  return Object.fromEntries(Object.entries(values).map(([title, value]) => [title, { value }]))
}

function successes(data: Values | undefined): Values | undefined {
  return data && Object.fromEntries(Object.entries(data).map(([title, one]) => [title, { success: true, data: one }]))
}
