import { Marked, type Tokens } from 'marked'
import { groupTabs, renderCode, renderTabGroup, type TabGroup } from './code_fences.ts'
import { escapeHtml } from './page.ts'

/** A heading of a rendered text; `text` is HTML. */
export type Heading = { id: string; depth: number; text: string }

export type Rendered = { html: string; headings: Heading[] }

/**
 * Renders our own Markdown (GitHub's dialect) as HTML. HTML tags in it are shown as text. `hrefOf` returns the
 * address of a link's target, and throws for a target that it does not know; links within the page are left alone.
 * Throws for images.
 */
export function renderMarkdown(markdown: string, hrefOf: (target: string) => string): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const html = this.parser.parseInline(tokens)
        const id = uniqueId(idOf(text), headings)
        headings.push({ id, depth, text: html })
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`
      },
      code: (token) => renderCode(token, hrefOf),
      table(token: Tokens.Table) {
        const headers = token.header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`)
        const cell = ({ tokens }: Tokens.TableCell, column: number) =>
          `<td${columnName(token, column)}>${this.parser.parseInline(tokens)}</td>`
        const rows = token.rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('\n')
        const head = `<thead><tr>${headers.join('')}</tr></thead>`
        return `${scrollableTable}${head}<tbody>${rows}</tbody></table></div>\n`
      },
      link({ href, tokens }) {
        const address = href.startsWith('#') ? href : hrefOf(href)
        return `<a href="${escapeHtml(address)}">${this.parser.parseInline(tokens)}</a>`
      },
      html: ({ text }) => escapeHtml(text),
      image: ({ href }) => {
        throw new Error(`pages show no images: ${href}`)
      },
    },
  })
  marked.use({ extensions: [{ name: 'tabGroup', renderer: (token) => renderTabGroup(token as TabGroup, hrefOf) }] })
  return { html: marked.parser(groupTabs(marked.lexer(markdown))), headings }
}

/** The id of a heading, as on GitHub, so that links work in both places. */
function idOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function uniqueId(id: string, headings: Heading[]): string {
  const taken = new Set(headings.map((heading) => heading.id))
  for (let n = 1; ; n += 1) {
    const candidate = n === 1 ? id : `${id}-${n - 1}`
    if (!taken.has(candidate)) return candidate
  }
}

// A narrow screen hides the header row and names the column beside each cell except the first. A table of two columns
// needs no names.
function columnName({ header }: Tokens.Table, column: number): string {
  const name = header[column]?.text.replaceAll('`', '') ?? ''
  return column === 0 || header.length < 3 || name === '' ? '' : ` data-label="${escapeHtml(name)}"`
}

// A wide table scrolls by itself, by keyboard too, instead of the page.
const scrollableTable = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>'
