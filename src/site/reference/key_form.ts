import { siteHeader } from '../header.ts'
import { escapeHtml } from '../page.ts'

/** The body of the page that asks for a key. `refusal` is the body of the answer to a program. */
export function keyForm(base: string, refusal: string, isKeyGiven: boolean): string {
  const reason = isKeyGiven ? `<p class="refused" role="alert">${escapeHtml(messageOf(refusal))}.</p>` : ''
  return `${siteHeader(base, 'reference')}
<main class="way-in">
<h1>API reference</h1>
<p>The reference opens with your API key, which begins with <code>svc_live_</code> or <code>svc_test_</code>. The
operators gave it to you; a demo prints one when it starts.</p>
${reason}
<form method="get" action="${base}/reference">
<label for="key">API key</label>
<div class="way-in-line"><input id="key" name="key" type="password" required autocomplete="off" autocapitalize="off"
spellcheck="false"><button type="submit">Open</button></div>
</form>
<p class="hint">The same in the URL: <code>/reference?key=…</code>, on a machine that you control. The page
removes the key from the address bar. Programs send it to <code>/openapi.json</code> in
<code>X-Api-Key</code>.</p>
</main>`
}

function messageOf(refusal: string): string {
  const { message } = Object(JSON.parse(refusal))
  return String(message)
}
