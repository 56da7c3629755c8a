import type { Parameter } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import type { Endpoint } from './api_document.ts'
import { firstExample, literal } from './samples.ts'

/**
 * A form that sends the operation's request, as HTML; a script makes it work. Only for operations that spend
 * nothing: reads of partners, and simulated orders.
 */
export function tryItForm(base: string, endpoint: Endpoint): string {
  const { id, method, path = '', operation } = endpoint
  const isHarmless = method === 'GET' ? /^\/(?:b2b|simulation)\//.test(path) : id === 'simulateOrder'
  if (!isHarmless) return ''
  const parameters = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header')
  const body = firstExample(endpoint)
  const bodyField =
    body === undefined
      ? ''
      : `<label>Body<textarea name="body" rows="12"
spellcheck="false">${escapeHtml(literal(body))}</textarea></label>`
  return `<details class="try box" hidden><summary>Try it</summary>
<form data-method="${method}" data-path="${base}${escapeHtml(path)}">
${parameters.map(field).join('\n')}${bodyField}
<button type="submit">Send</button>
</form>
<p class="try-status" role="status"></p>
<div class="panel" role="group" tabindex="0" aria-label="${escapeHtml(`Answer to: ${operation.summary}`)}"
hidden><pre><code></code></pre></div>
</details>`
}

function field({ name, in: place, example, required, schema }: Parameter): string {
  const hint = example ?? schema.examples?.[0] ?? schema.default ?? ''
  const title = escapeHtml(name)
  return `<label>${title}<input name="${title}" data-in="${place}" placeholder="${escapeHtml(String(hint))}"
autocomplete="off" autocapitalize="off" spellcheck="false"${required ? ' required' : ''}></label>`
}
