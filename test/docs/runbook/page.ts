import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Statements of the page, and what the page says they print; null where it says nothing. */
type Step = { sql: string; expected: string | null }
export type Section = { title: string; steps: Step[] }

const pages = ['runbook', 'upgrade', 'backup'].map((name) =>
  readFileSync(join(import.meta.dirname, `../../../docs/operations/${name}.md`), 'utf8'),
)

/** The sections of the operators' pages that have statements, by their headings. A block may be indented, as in a list. */
export function sectionsOfPages(texts: readonly string[] = pages): Section[] {
  return texts.flatMap(sectionsOf)
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = []
  const lines = text.split('\n')
  for (let n = 0; n < lines.length; n += 1) {
    const heading = lines[n]?.match(/^#{1,4} (.+)$/)?.[1]
    if (heading !== undefined) sections.push({ title: heading, steps: [] })
    const [, indent = '', language] = lines[n]?.match(/^( *)```(\w+)$/) ?? []
    if (language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, n + 1)
    const block = lines
      .slice(n + 1, end)
      .map((line) => line.slice(indent.length))
      .join('\n')
    const steps = sections.at(-1)?.steps
    const last = steps?.at(-1)
    if (language === 'sql') steps?.push({ sql: block, expected: null })
    if (language === 'text' && last !== undefined) last.expected = block
    n = end
  }
  return sections.filter(({ steps }) => steps.length > 0)
}

const ids =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:ord|pay)_[0-9a-f]{32}|svc_(?:live|test)_\w+|\b[0-9a-f]{64}\b/g

/**
 * The names that a page gives to what is different each time: ids, codes, keys. They are learned where the page shows
 * a result, and put into the statements that follow.
 */
export class Names {
  readonly #actual: Map<string, string>

  constructor(known: { [shown: string]: string } = {}) {
    this.#actual = new Map(Object.entries(known))
  }

  /** The statements with what the names of the page mean now. Throws on a name that was not shown before. */
  put(sql: string): string {
    let text = sql
    for (const [shown, actual] of this.#actual) text = text.replaceAll(shown, actual)
    const unknown = (sql.match(ids) ?? []).find((name) => !this.#actual.has(name))
    if (unknown !== undefined) throw new Error(`the page does not show before where ${unknown} comes from`)
    return text
  }

  /** What was printed, in the names of the page that stand at the same places. */
  asShown(printed: string, shown: string): string {
    const names = shown.match(ids) ?? []
    const actual = printed.match(ids) ?? []
    for (const [n, name] of names.entries()) {
      const is = actual[n]
      const isNew = !this.#actual.has(name) && ![...this.#actual.values()].includes(String(is))
      if (is !== undefined && isNew) this.#actual.set(name, is)
    }
    let text = printed
    for (const [name, is] of this.#actual) text = text.replaceAll(is, name)
    return text
  }
}

/** A printed table without what may differ: times, and the widths that hang on them. */
export function comparable(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d+)?)?(\+\d\d)?/g, 'TIME')
    .replaceAll(/\d\d:\d\d:\d\d(\.\d+)?/g, 'INTERVAL')
    .replaceAll(/, after \d+ s:/g, ':')
    .replaceAll(/-+/g, '-')
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .join('\n')
}
