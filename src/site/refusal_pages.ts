import type { Context, Middleware } from '../http/context.ts'
import type { SiteOptions } from './options.ts'
import { escapeHtml, renderPage, replyPage, siteHeader, styleSheets } from './page.ts'
import { referencePage } from './reference.ts'

/**
 * Answers a browser's refused request for a page with a page that says what to do. Status and headers stay;
 * programs, whose `Accept` does not prefer HTML, get the JSON.
 */
export function answerBrowsers({ base }: SiteOptions): Middleware {
  return async (ctx, next) => {
    await next()
    const page = refusalPage(base, ctx)
    if (page === undefined || ctx.accepts('json', 'html') !== 'html') return
    ctx.vary('Accept')
    replyPage(ctx, page, { status: ctx.status, takesInput: ctx.state.route.pattern === '/reference' })
  }
}

function refusalPage(base: string, { status, path, state: { route }, body, query }: Context): string | undefined {
  const { key, password } = route.access
  if (route.pattern === '/reference' && [401, 403].includes(status)) {
    return referencePage(base, keyForm(base, String(body), query.key !== undefined))
  }
  if (password && status === 401) {
    return messagePage(base, 'Password required', [
      'The guide opens with a password, which the operators of this service give to partners. Any user name works.',
      `<a href="${base}${escapeHtml(path)}">Try again</a> and enter the password when the browser asks for it.`,
    ])
  }
  if (status !== 404 || key === 'header' || path.startsWith('/suppliers/')) return undefined
  return messagePage(base, 'Page not found', [
    `There is no page at <code>${escapeHtml(path.slice(0, 200))}</code>.`,
    `Go to the <a href="${base}/">home page</a>, <a href="${base}/docs">the guide</a> or
<a href="${base}/reference">the reference</a>.`,
  ])
}

function messagePage(base: string, title: string, paragraphs: string[]): string {
  return renderPage(base, {
    title: `${title} · Supply ordering`,
    head: styleSheets(base, ['page.css', 'frame.css']),
    body: `${siteHeader(base)}
<main class="alone" id="content">
<h1>${title}</h1>
${paragraphs.map((html) => `<p>${html}</p>`).join('\n')}
</main>`,
  })
}

/** The body of the page that asks for a key. `refusal` is the body of the answer to a program. */
function keyForm(base: string, refusal: string, isKeyGiven: boolean): string {
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
