import type { Token, Tokens } from 'marked'
import { codeBlock, codeBox } from './code_box.ts'
import { escapeHtml } from './page.ts'

/** The same code in several languages. */
export type TabGroup = { type: 'tabGroup'; raw: string; blocks: Tokens.Code[] }

type Names = { [language: string]: string }

/** The names of languages for readers. */
const names: Names = { sh: 'Shell', ts: 'TypeScript', py: 'Python', php: 'PHP', go: 'Go', java: 'Java', json: 'JSON' }

/** The names in tabs, where a shell command stands for curl. */
const namesOfTabs: Names = { ...names, sh: 'curl' }

/** Consecutive blocks with the word `tab` become a group. */
export function groupTabs(tokens: Token[]): Token[] {
  const grouped: Token[] = []
  let group: TabGroup | undefined
  for (const token of tokens) {
    if (group !== undefined && token.type === 'space') continue
    if (isTab(token)) {
      if (group === undefined) {
        group = { type: 'tabGroup', raw: '', blocks: [] }
        grouped.push(group)
      }
      group.blocks.push(token)
    } else {
      group = undefined
      grouped.push(token)
    }
  }
  return grouped
}

/** A group of tabs as HTML. `hrefOf` returns the address of a block's file. */
export function renderTabGroup({ blocks }: TabGroup, hrefOf: (file: string) => string): string {
  const tabs = blocks.map(({ lang, text }) => {
    const { language, file } = fenceOf(lang)
    const caption = file === undefined ? '' : `<p class="file">${fileLink(file, hrefOf)}</p>`
    return { label: nameOf(language, namesOfTabs), html: `${caption}${codeBlock(language, text)}` }
  })
  return `${codeBox(tabs, { group: 'language', about: 'Language' })}\n`
}

/** A block of code as HTML, with the name of its file or its language as title. Plain text has no title. */
export function renderCode({ lang, text }: Tokens.Code, hrefOf: (file: string) => string): string {
  const { language, file } = fenceOf(lang)
  const name = nameOf(language, names)
  const title = file === undefined ? escapeHtml(names[language] ?? '') : fileLink(file, hrefOf)
  const about = file === undefined ? 'Code' : nameOfFile(file)
  return `${codeBox([{ label: name, html: codeBlock(language, text) }], { title, about })}\n`
}

function isTab(token: Token): token is Tokens.Code {
  return token.type === 'code' && fenceOf(token.lang).isTab
}

// The words after the fence: the language, the block's file, and `tab`.
function fenceOf(lang = ''): { language: string; file: string | undefined; isTab: boolean } {
  const [language = '', ...words] = lang.split(' ')
  return { language, file: words.find((word) => word !== 'tab'), isTab: words.includes('tab') }
}

function nameOf(language: string, known: Names): string {
  return known[language] ?? 'Text'
}

function fileLink(file: string, hrefOf: (file: string) => string): string {
  return `<a href="${escapeHtml(hrefOf(file))}">${escapeHtml(nameOfFile(file))}</a>`
}

function nameOfFile(file: string): string {
  return file.split('/').at(-1) ?? file
}
