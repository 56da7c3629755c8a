import { exampleAddress } from '../address.ts'
import { type ApiDocument, lastSubjects, subjectsOf } from '../reference/api_document.ts'
import { type GuidePage, guideGroups } from './pages.ts'
import { renderGuideText } from './render.ts'

/**
 * A section of the guide or an operation. `href` is relative to a page one folder below the service's own address;
 * `trail` names the parts that contain the section. All are plain texts.
 */
export type Section = { href: string; title: string; trail: string[]; text: string }

/** The index of the guide's search: its sections, and the reference's operations by their names and paths. */
export function searchedSections(document: ApiDocument): Section[] {
  const guide = guideGroups.flatMap(({ label, pages }) => pages.flatMap((page) => sectionsOf(label, page)))
  return [...guide, ...operations(document)]
}

function sectionsOf(group: string, page: GuidePage): Section[] {
  const { html, headings } = renderGuideText('', page)
  const starts = headings.map(({ depth, id }) => html.indexOf(`<h${depth} id="${id}">`))
  const above: string[] = []
  return headings.map(({ id, depth, text }, index): Section => {
    const from = html.indexOf(`</h${depth}>`, starts[index])
    const body = plainText(html.slice(from, starts[index + 1]))
    if (depth === 1) return { href: `..${page.path}`, title: page.label, trail: [group], text: body }
    const title = plainText(text)
    const trail = [page.label, ...above.slice(0, depth - 2)]
    above.splice(depth - 2, Number.POSITIVE_INFINITY, title)
    return { href: `..${page.path}#${id}`, title, trail, text: body }
  })
}

function operations(document: ApiDocument): Section[] {
  const subjects = subjectsOf(document).filter(({ id }) => !lastSubjects.includes(id))
  return subjects.flatMap(({ name, endpoints }) =>
    endpoints.map(({ id, method, path, event, operation }) => ({
      href: `../reference#${id}`,
      title: operation.summary,
      trail: ['Reference', name],
      text: event ?? `${method} ${path}`,
    })),
  )
}

/** Longer blocks of code are whole programs, which the search leaves out. */
const maxCodeLength = 1_500
const entities: { [entity: string]: string } = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" }

/** The text of rendered HTML. */
function plainText(html: string): string {
  return html
    .replace(/<p class="(?:box-title|panel-name)">[^<>]*<\/p>/g, ' ')
    .replace(/<\/?(?:a|code|em|strong|span)(?: [^<>]*)?>/g, '')
    .split('<pre>')
    .map(withoutProgram)
    .join(' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
    .replaceAll(exampleAddress, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function withoutProgram(part: string): string {
  const end = part.indexOf('</pre>')
  return end > maxCodeLength ? part.slice(end) : part
}
