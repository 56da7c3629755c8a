import { coloured } from './colours.ts'
import { escapeHtml } from './page.ts'

/** One of the blocks that a reader chooses between. Without JavaScript all are shown. */
export type Tab = { label: string; html: string }

type BoxOptions = {
  /** The title above the code, as HTML; empty if the tabs suffice. */
  title?: string
  /** Boxes of one group show the tab of one label. */
  group?: string
  /** A description of the code for screen readers, as text. */
  about: string
}

/** A box of code. One of its tabs is shown; boxes of one `group` show the same tab. */
export function codeBox(tabs: Tab[], { title = '', group = '', about }: BoxOptions): string {
  const name = title === '' ? '' : `<p class="box-title">${title}</p>`
  const nameOf = (label: string) => (tabs.length > 1 ? `<p class="panel-name">${escapeHtml(label)}</p>` : '')
  const panels = tabs.map(
    ({ label, html }) =>
      `<div class="panel" role="group" tabindex="0" data-label="${escapeHtml(label)}"
aria-label="${escapeHtml(`${about}: ${label}`)}">${nameOf(label)}${html}</div>`,
  )
  return `<div class="box" data-group="${escapeHtml(group)}" data-about="${escapeHtml(about)}">
<div class="box-head">${name}</div>
${panels.join('\n')}
</div>`
}

/** A block of code, in colours where the language is known. */
export function codeBlock(language: string, code: string): string {
  return `<pre><code>${coloured(language, code)}</code></pre>`
}
