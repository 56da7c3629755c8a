import type * as v from 'valibot'
import { type Access, type AccessName, accesses } from '../access.ts'
import { hasBody } from '../body.ts'
import { type Account, accountOf, type RouteContext } from '../context.ts'
import { type ErrorName, Refusal } from '../errors.ts'
import { readJson, readParameter, readQuery, valid } from '../validate.ts'
import type { RouteOptions } from './options.ts'

/** A parameter of a path. A value that does not fit is not found; without an `error`, the handler reads any value. */
type Param = { schema: v.GenericSchema; description: string; example: string; error?: ErrorName }

/** A header that the handler reads. */
export type HeaderParam = {
  name: string
  description: string
  schema: v.GenericSchema
  required?: true
  example?: string
}

type Body<Schema extends v.GenericSchema = v.GenericSchema> = {
  schema: Schema
  description?: string
  /** Without a body, the handler gets the defaults of the schema. */
  optional?: true
  /** The handler reads the body, because its bytes are signed or its faults are named together with others. */
  unread?: true
}

/** An operation that takes values of an answer as its parameters. */
export type Link = { operationId: string; description: string; parameters: { [name: string]: string } }

export type Answer = {
  description: string
  /** The model of its `data`. */
  data?: v.GenericSchema
  /** Its other types, for example `text/csv`. */
  types?: readonly string[]
  /** Its headers, besides those of every answer: `Cache-Control` unless it says otherwise. */
  headers?: readonly string[]
  links?: { [name: string]: Link }
}

type Query = v.ObjectSchema<v.ObjectEntries, v.ErrorMessage<v.ObjectIssue> | undefined>

/** What the OpenAPI document says of a route. Parts of pages are not described. */
export type Described = {
  id: string
  tag: string
  summary: string
  description: string
  answers: { [status: number]: Answer }
  /** The errors of the route, besides those of its access, its query and its body. */
  errors?: readonly ErrorName[]
}
type Undescribed = { [name in keyof Described]?: never }

/** A route: all that the router, the admission and the OpenAPI document need to know of it. */
export type Route<Options = RouteOptions> = {
  method: 'get' | 'post'
  /** As the router reads it: `/b2b/orders/:code`. */
  path: string
  access: AccessName
  params?: { [name: string]: Param }
  query?: Query
  headers?: readonly HeaderParam[]
  body?: Body
  /** Makes the handler of one app. */
  handlerFor: (options: Options) => (ctx: RouteContext) => Promise<void>
} & (Described | Undescribed)

/** What a handler gets of a request, all of it checked. `account` is only for routes that need a key. */
type Given<Q extends Query, P extends string, B extends v.GenericSchema> = {
  account: Account
  params: { [name in P]: string }
  query: v.InferOutput<Q>
  body: v.InferOutput<B>
}

type Declared<Options, Kept, Q extends Query, P extends string, B extends v.GenericSchema> = Omit<
  Route<Options>,
  'params' | 'query' | 'body' | 'handlerFor' | keyof Described
> & {
  params?: { [name in P]: Param }
  query?: Q
  body?: Body<B>
  /** Makes what the handler keeps from request to request. */
  keep?: (options: Options) => Kept
  handle: (ctx: RouteContext, given: Options & Kept & Given<Q, P, B>) => unknown
} & (Described | Undescribed)

/** Makes the function that declares routes whose handlers have these options. */
export function routeWith<Options extends object>() {
  /** Declares a route. A request is checked in this order: mode of the account, query, path, body. */
  return <Q extends Query, B extends v.GenericSchema, const P extends string = never, Kept extends object = object>(
    declared: Declared<Options, Kept, Q, P, B>,
  ): Route<Options> => {
    const { access, params = {}, query, body, keep, handle, ...rest } = declared
    const { testOnly }: Access = accesses[access]
    const handlerFor: Route<Options>['handlerFor'] = (options) => {
      const ready = { ...options, ...keep?.(options) }
      return async (ctx) => {
        if (testOnly && accountOf(ctx).mode !== 'test') throw new Refusal('LIVE_ACCOUNT')
        const given = {
          ...ready,
          get account() {
            return accountOf(ctx)
          },
          query: query && readQuery(ctx, query),
          params: Object.fromEntries(
            Object.entries<Param>(params).map(([name, param]) => [name, readParameter(ctx, name, param)]),
          ),
          body: body && !body.unread && (await readBody(ctx, body)),
        }
        await handle(ctx, given as typeof given & Kept & Given<Q, P, B>)
      }
    }
    return { ...rest, access, params, ...(query && { query }), ...(body && { body }), handlerFor }
  }
}

/** Declares a route of the API. */
export const route = routeWith<RouteOptions>()

function readBody(ctx: RouteContext, { schema, optional }: Body): unknown {
  return optional && !hasBody(ctx) ? valid(schema, {}) : readJson(ctx, schema)
}

/** A parameter of a path, with an example. */
export function param(schema: v.GenericSchema, example: string, description: string, error?: ErrorName): Param {
  return { schema, description, example, ...(error && { error }) }
}

/** A link to an operation that takes the field `from` of the answer's data. */
export function link(operationId: string, description: string, parameter: string, from = parameter): Link {
  return { operationId, description, parameters: { [parameter]: `$response.body#/data/${from}` } }
}
