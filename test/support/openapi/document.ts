import { type OpenApiDocument, openApiDocument } from '../../../src/site/openapi/document.ts'
import type { Examples, MediaType, Operation, Response } from '../../../src/site/openapi/types.ts'

export type { Operation, Response }

/** An operation of the document and where it is. */
export type Located = { method: string; path: string; operation: Operation }

/** The document as partners read it, after its way through JSON. */
export const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument()))

/** All operations, without the webhooks. */
export const operations: Located[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

/** The component that a reference names; any other value as it is. */
export function resolve<T>(value: T): Exclude<T, { $ref: string }> {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as never
  const names = String(value.$ref).split('/').slice(1)
  const found = names.reduce<unknown>((place, name) => (place as { [name: string]: unknown })[name], document)
  if (found === undefined) throw new Error(`nothing is at ${String(value.$ref)}`)
  return found as never
}

/** The JSON body of a response or request, if it has one. */
export function jsonOf(content: { [type: string]: MediaType } | undefined): MediaType | undefined {
  return content?.['application/json']
}

/** The values of the examples of a body. */
export function valuesOf(examples: Examples | undefined): unknown[] {
  return Object.values(examples ?? {}).map(({ value }) => value)
}

/** The place of a part of the document, as the fragment of a reference. */
export function pointer(...names: string[]): string {
  return `#/${names.map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}
