import type { JsonSchema } from '@valibot/to-json-schema'
import type { Header, Operation, Paths, Reference, Response } from '../openapi/types.ts'

/** The parts of an OpenAPI 3.1 document that the reference shows. */
export type ApiDocument = {
  info: { title: string; description: string }
  servers: { url: string }[]
  security: SecurityRequirement[]
  tags: { name: string; description: string }[]
  paths: Paths
  webhooks: { [name: string]: { post: Operation } }
  components: {
    schemas: { [name: string]: JsonSchema }
    responses: { [name: string]: Response }
    headers: { [name: string]: Header }
    securitySchemes: { [name: string]: SecurityScheme }
  }
}

type SecurityRequirement = { [scheme: string]: readonly string[] }

/** How a request proves its sender. */
export type SecurityScheme =
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query'; readonly name: string; readonly description: string }
  | { readonly type: 'http'; readonly scheme: string; readonly description: string }

/** An operation with its address; a webhook has the name of its event instead. */
export type Endpoint = { id: string; method: string; operation: Operation } & (
  | { path: string; event?: undefined }
  | { event: string; path?: undefined }
)

/** The operations of one subject. */
export type Subject = { id: string; name: string; description: string; endpoints: Endpoint[] }

/** The subjects that partners do not need come last. */
export const lastSubjects = ['suppliers', 'documents', 'health']

/** A name of the document as part of an id: without characters that have a meaning in HTML. */
export function idOf(name: string): string {
  return name.replace(/[^A-Za-z0-9_.-]/g, '_')
}

/**
 * The operations and webhooks by their first tag, in the order of the document's tags. Throws for an unknown tag.
 */
export function subjectsOf({ tags, paths, webhooks }: ApiDocument): Subject[] {
  const endpoints: Endpoint[] = [
    ...Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: idOf(operation.operationId),
        method: idOf(method.toUpperCase()),
        operation,
        path,
      })),
    ),
    ...Object.entries(webhooks).map(([event, { post }]) => ({
      id: idOf(post.operationId),
      method: 'POST',
      operation: post,
      event,
    })),
  ]
  const known = new Set(tags.map(({ name }) => name))
  const lost = endpoints.find(({ operation }) => !known.has(operation.tags[0] ?? ''))
  if (lost !== undefined) throw new Error(`an operation has no subject: ${lost.id}`)
  return tags.map(({ name, description }) => ({
    id: idOf(name.toLowerCase()),
    name,
    description,
    endpoints: endpoints.filter(({ operation }) => operation.tags[0] === name),
  }))
}

/** How the requests of an operation prove their sender; without an operation, how most requests do. */
export function schemesOf({ components, security }: ApiDocument, operation?: Operation): SecurityScheme[] {
  const names = (operation?.security ?? security).flatMap((requirement) => Object.keys(requirement))
  return names.flatMap((name) => components.securitySchemes[name] ?? [])
}

/** True for a reference to another part of the document. */
export function isReference<Thing extends object>(thing: Thing | Reference): thing is Reference {
  return '$ref' in thing && typeof thing.$ref === 'string'
}

/** The name of the component that a reference names. */
export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** The component that a reference names. Throws if there is none. */
export function componentOf<Thing>(components: { [name: string]: Thing }, reference: Reference): Thing {
  const found = components[nameOf(reference)]
  if (found === undefined) throw new Error(`a reference leads nowhere: ${reference.$ref}`)
  return found
}
