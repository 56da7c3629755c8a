import type { HLJSApi } from 'highlight.js'
import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
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

const highlighter: HLJSApi = core.newInstance()
const languages = { bash, go, http, java, json, php, python, typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/**
 * Code as HTML, with a class for each kind of word. `language` is a name or a usual short form of it. An unknown
 * language gets no colours.
 */
export function coloured(language: string, code: string): string {
  const known = highlighter.getLanguage(language)
  if (known === undefined) return escapeHtml(code)
  if (known.name !== 'Bash') return highlight(language, code)
  // The JSON body of a curl command has the colours of JSON.
  const parts = code.split(/(-d )'(\{[^']*)'/)
  return parts
    .map((part, index) => {
      if (index % 3 !== 2) return highlight('bash', part)
      const quote = '<span class="hljs-string">\'</span>'
      return `${quote}${highlight('json', part)}${quote}`
    })
    .join('')
}

function highlight(language: string, code: string): string {
  // An apostrophe needs no escape outside of tags.
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value.replaceAll('&#x27;', "'")
}
