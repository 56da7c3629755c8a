import { renderMarkdown } from '../markdown.ts'
import { escapeHtml } from '../page.ts'

/** A description, which is Markdown, as HTML. Throws for a link to anything but an HTTPS address. */
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

/** A heading that links to itself. */
export function heading(level: number, id: string, html: string): string {
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>`
}
