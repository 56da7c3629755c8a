import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const path = 'docs/specification.md'

type Section = { number: string; title: string; text: string }

/** The sections by their numbers, each with its text down to the next heading. */
const sections = sectionsOf(textOf(path))
const numbers = sections.map(({ number }) => number)

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```.*?^```$/gms, '')
}

function sectionsOf(markdown: string): Section[] {
  return withoutCode(markdown)
    .split(/^(?=##+ )/m)
    .slice(1)
    .map((text) => {
      const [, number = '', title = ''] = /^##+ (\d+(?:\.\d+)?)\.? (.*)$/m.exec(text) ?? []
      return { number, title, text }
    })
}

/** The ids of the headings, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const seen = new Map<string, number>()
  return [...withoutCode(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const id = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = seen.get(id) ?? 0
    seen.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  })
}

/** What the links of a text name, but for addresses elsewhere. */
function targetsOf(markdown: string): string[] {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/i.test(target))
}

describe('the specification', () => {
  test('has its numbered sections, each once and in order', () => {
    const withParts: { [section: number]: number } = { 2: 6, 6: 7 }
    const expected = Array.from({ length: 13 }, (_, index) => index + 1).flatMap((section) => [
      String(section),
      ...Array.from({ length: withParts[section] ?? 0 }, (_, part) => `${section}.${part + 1}`),
    ])
    expect(numbers).toEqual(expected)
  })

  test.each(sections)('$number $title: ends with the tests that hold it', ({ text }) => {
    const paragraphs = text.trim().split(/\n\n+/)
    const held = paragraphs.at(-1) ?? ''
    expect(held).toMatch(/^Held by: /)
    const files = [...held.matchAll(/\]\(\.\.\/(test\/[^)]+\.test\.ts)\)/g)].map(([, file = '']) => file)
    expect(files).not.toEqual([])
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

describe('the links', () => {
  const documents = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort()

  test.each(documents)('of %s lead to files that exist, and to headings in them', (document) => {
    const targets = targetsOf(textOf(document))
    expect(targets).not.toEqual([])
    const broken = targets.filter((target) => {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? join(root, document) : resolve(root, dirname(document), file)
      if (!existsSync(linked) || relative(root, linked).startsWith('..')) return true
      return (
        anchor !== undefined && !(statSync(linked).isFile() && anchorsOf(readFileSync(linked, 'utf8')).includes(anchor))
      )
    })
    expect(broken).toEqual([])
  })
})

describe('what the code says of the specification', () => {
  const files = globSync('{db/functions,db/migrations,src,tasks,test}/**/*.{sql,ts}', { cwd: root }).sort()

  /** Each mention in a text, as `5`, or as `5 rule 7`; comments and texts may go on in the next line. */
  function mentionsOf(text: string): string[] {
    const joined = text.replace(/\s*'?\n\s*(?:'|\*|\/\/|--)?\s*/g, ' ')
    return [...joined.matchAll(/\bspecification (\d+(?:\.\d+)*(?:(?:, | and | to |, rule )\d+(?:\.\d+)*)*)/gi)].flatMap(
      ([, mention = '']) =>
        mention
          .replace(/, rule /g, ' rule ')
          .split(/, | and | to /)
          .map((part) => part.trim()),
    )
  }

  function isKnown(mention: string): boolean {
    const [number, rule] = mention.split(' rule ')
    const section = sections.find((one) => one.number === number)
    return section !== undefined && (rule === undefined || new RegExp(`^${rule}\\. `, 'm').test(section.text))
  }

  test('can be looked up: every number is that of a section, and every rule stands in it', () => {
    const mentions = files.flatMap((file) => mentionsOf(textOf(file)).map((mention) => ({ file, mention })))
    expect(mentions.length).toBeGreaterThan(50)
    expect(mentions.filter(({ mention }) => !isKnown(mention))).toEqual([])
  })
})
