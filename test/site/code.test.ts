import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { coloured } from '../../src/site/code_box.ts'
import { renderMarkdown } from '../../src/site/markdown.ts'
import { textOf } from './html_text.ts'

const docs = join(import.meta.dirname, '../../docs')
const languages = ['sh', 'ts', 'py', 'php', 'go', 'java', 'json', 'http', 'text', '', 'unknown']

function render(text: string): string {
  return renderMarkdown(text, (target) => `/to/${target}`).html
}

function block(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\`\n`
}

const labelsOf = (html: string) => [...html.matchAll(/data-label="([^"]*)"/g)].map(([, label]) => label)
const boxesOf = (html: string) => html.split('<div class="box"').slice(1)

describe('blocks with the word tab', () => {
  test('are one box with a name for each language', () => {
    const html = render([block('sh tab', 'curl'), block('ts tab', 'x'), block('py tab', 'y')].join('\n'))
    expect(boxesOf(html).length).toBe(1)
    expect(labelsOf(html)).toEqual(['curl', 'TypeScript', 'Python'])
    expect(html).toContain('data-group="language"')
  })

  test('lead to their files', () => {
    const html = render(block('ts ../programs/a.ts tab', 'a') + block('py ../programs/a.py tab', 'b'))
    expect(html).toContain('<a href="/to/../programs/a.ts">a.ts</a>')
    expect(html).toContain('<a href="/to/../programs/a.py">a.py</a>')
  })
})

describe('colours', () => {
  test('are there', () => {
    expect(coloured('ts', 'const a = 1')).toContain('<span class="hljs-keyword">const</span>')
    expect(coloured('unknown', 'const a = 1')).toBe('const a = 1')
  })

  test('are those of JSON in the body that a command sends, and of a command behind it', () => {
    const html = coloured('sh', `curl x -d '{ "a": null }' # b\nexport c=1\ncurl y -d '{}'`)
    expect(html).toContain('<span class="hljs-attr">&quot;a&quot;</span>')
    expect(html).toContain('<span class="hljs-comment"># b</span>')
    expect(html).toContain('<span class="hljs-built_in">export</span>')
  })

  test.each(languages)('let no markup through: %s', (language) => {
    const hostile = `<script>alert(1)</script> "<img src=x>" '<b>' # <i>\n// <u>\n/* <s> */ -d '{<a>' &lt;`
    const html = coloured(language, hostile)
    expect(html.replace(/<\/?span(?: class="[\w -]+")?>/g, '')).not.toMatch(/[<>]/)
    expect(textOf(html)).toBe(hostile)
  })

  test.each(readdirSync(join(docs, 'verify')).filter((name) => /^verify\./i.test(name)))(
    'leave every character of %s as it is',
    (name) => {
      const text = readFileSync(join(docs, 'verify', name), 'utf8')
      expect(textOf(coloured(extname(name).slice(1).toLowerCase(), text))).toBe(text)
    },
  )
})
