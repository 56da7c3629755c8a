import { renderMarkdown } from '../markdown.ts'
import { escapeHtml } from '../page.ts'

/** A description of the document, which is Markdown, as HTML. Throws for a link to anything but an HTTPS address. */
export function prose(markdown: string | undefined): string {
  return markdown === undefined ? '' : renderMarkdown(markdown, addressOf).html
}

function addressOf(target: string): string {
  if (!target.startsWith('https://')) throw new Error(`a link in the reference leads nowhere: ${target}`)
  return target
}

/** A text as code. */
export function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`
}

/** A heading that is a link to itself. `id` is that of what it is the heading of. */
export function heading(level: number, id: string, html: string): string {
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>`
}

/** One of the blocks that a reader chooses between; without JavaScript they stand below each other. */
export type Tab = { label: string; html: string }

/** A titled box of code. Of several tabs one is shown; those of boxes with the same `group` are chosen together. */
export function codeBox(
  title: string,
  tabs: Tab[],
  { group = '', about }: { group?: string; about: string },
): string {
  const panels = tabs.map(
    ({ label, html }) =>
      `<div class="panel" role="group" tabindex="0" data-label="${escapeHtml(label)}" aria-label="${escapeHtml(`${about}: ${label}`)}">` +
      `<p class="panel-name">${escapeHtml(label)}</p>${html}</div>`,
  )
  return `<div class="box" data-group="${escapeHtml(group)}"><div class="box-head"><p class="box-title">${escapeHtml(title)}</p></div>
${panels.join('\n')}
</div>`
}

/** A block of code, which is HTML already. */
export function pre(html: string): string {
  return `<pre><code>${html}</code></pre>`
}
