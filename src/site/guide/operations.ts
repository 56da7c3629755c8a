import { openApiDocument } from '../openapi/document.ts'
import { escapeHtml } from '../page.ts'
import { type Endpoint, subjectsOf } from '../reference/api_document.ts'

/** Links to operations in the reference, by their ids. Empty without ids. Throws for an unknown id. */
export function operationLinks(base: string, ids: string[]): string {
  if (ids.length === 0) return ''
  const endpoints = subjectsOf(openApiDocument()).flatMap((subject) => subject.endpoints)
  const links = ids.map((id) => {
    const endpoint = endpoints.find((one) => one.id === id)
    if (endpoint === undefined) throw new Error(`the guide names an operation that does not exist: ${id}`)
    return operationLink(base, endpoint)
  })
  return `<aside class="operations" aria-label="In the reference"><p>In the reference</p>
<ul>${links.join('\n')}</ul></aside>`
}

function operationLink(base: string, { id, method, operation, path, event }: Endpoint): string {
  const kind = event === undefined ? method.toLowerCase() : 'event'
  const mark = event === undefined ? method : 'EVENT'
  return `<li><span class="method ${kind}">${mark}</span><span><a
href="${base}/reference#${id}">${escapeHtml(operation.summary)}</a>
<code>${escapeHtml(path ?? event)}</code></span></li>`
}
