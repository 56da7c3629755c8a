import type { HLJSApi } from 'highlight.js'
import core from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import java from 'highlight.js/lib/languages/java'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import { escapeHtml } from './page.ts'

const highlighter: HLJSApi = core.newInstance()
const languages = { bash, go, http, java, json, php, python, sql, typescript }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)
highlighter.registerAliases('console', { languageName: 'bash' })

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
