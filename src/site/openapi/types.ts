import type { JsonSchema } from '@valibot/to-json-schema'

/** A reference to a component of the document, for example `{$ref: '#/components/schemas/Order'}`. */
export type Reference = { $ref: string }

/** Named examples of a body. */
export type Examples = { [name: string]: { summary?: string; value: unknown } }

export type MediaType = { schema: JsonSchema | Reference; examples?: Examples }

export type Header = { description: string; required?: boolean; schema: JsonSchema }

export type Response = {
  description: string
  headers?: { [name: string]: Header | Reference }
  content?: { [type: string]: MediaType }
  links?: { [name: string]: Link }
}

/** An operation that takes a value of the response as its parameter. */
type Link = { operationId: string; description: string; parameters: { [name: string]: string } }

export type Responses = { [status: string]: Response | Reference }

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  description?: string
  required?: boolean
  example?: unknown
  schema: JsonSchema
}

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: { [scheme: string]: string[] }[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; description?: string; content: { [type: string]: MediaType } }
  responses: Responses
}

/** The operations by path and method. A path is written as in OpenAPI: `/b2b/orders/{code}`. */
export type Paths = { [path: string]: { [method in 'get' | 'post']?: Operation } }
