import { guidePages, readGuidePage } from '../../src/site/guide/pages.ts'

/** A fenced block of code: its language, and the file that it is taken from, as the page names it. */
export type Block = { language: string; file: string | undefined; isTab: boolean; text: string }

/** The pages of the guide in the order in which they are read, each with its Markdown. */
export const guideTexts = guidePages.map((page) => ({ ...page, text: readGuidePage(page) }))

/** The Markdown of a page, by its name. */
export function guideText(name: string): string {
  const page = guideTexts.find((one) => one.name === name)
  if (page === undefined) throw new Error(`the guide has no page ${name}`)
  return page.text
}

/** The fenced blocks of a text. The words after the fence are the language, the file, and `tab`. */
export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n(.*?)\n```$/gms)].map(([, language = '', words = '', code = '']) => ({
    language,
    file: words.split(' ').find((word) => word.includes('/')),
    isTab: words.split(' ').includes('tab'),
    text: code,
  }))
}

/** Every field of a value by its path, entries of lists under one. */
export function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((entry) => fieldsOf(entry, `${path}[]`)))]
  if (value === null || typeof value !== 'object') return [path]
  return Object.entries(value).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`))
}
