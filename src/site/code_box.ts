import { coloured } from './colours.ts'
import { escapeHtml } from './page.ts'

/** One of the blocks that a reader chooses between; without JavaScript they stand below each other. */
export type Tab = { label: string; html: string }

type BoxOptions = {
  /** What stands above the code, as HTML; nothing where the tabs say enough. */
  title?: string
  /** Boxes of one group show the tab of one label. */
  group?: string
  /** What the code is, as text, for those who do not see it. */
  about: string
}

/** A box of code. Of several tabs one is shown; those of boxes with the same `group` are chosen together. */
export function codeBox(tabs: Tab[], { title = '', group = '', about }: BoxOptions): string {
  const name = title === '' ? '' : `<p class="box-title">${title}</p>`
  const nameOf = (label: string) => (tabs.length > 1 ? `<p class="panel-name">${escapeHtml(label)}</p>` : '')
  const panels = tabs.map(
    ({ label, html }) =>
      `<div class="panel" role="group" tabindex="0" data-label="${escapeHtml(label)}" aria-label="${escapeHtml(`${about}: ${label}`)}">` +
      `${nameOf(label)}${html}</div>`,
  )
  return `<div class="box" data-group="${escapeHtml(group)}" data-about="${escapeHtml(about)}"><div class="box-head">${name}</div>
${panels.join('\n')}
</div>`
}

/** A block of code, in colours where the language is known. */
export function codeBlock(language: string, code: string): string {
  return `<pre><code>${coloured(language, code)}</code></pre>`
}
