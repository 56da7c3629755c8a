/** A part of a page under one heading: what a search looks in. All texts are plain. */
export type Section = { id: string; heading: string; text: string }

const characters: { [entity: string]: string } = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' },
}

/** The parts of a rendered text, each from one heading to the next, in the order in which they stand. */
export function sectionsOf(html: string): Section[] {
  return html.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [, id, heading = '', rest = ''] = /^<h[1-6] id="([^"]*)">(.*?)<\/h[1-6]>(.*)$/s.exec(part) ?? []
    return id === undefined ? [] : [{ id, heading: plain(heading), text: plain(rest) }]
  })
}

function plain(html: string): string {
  const text = html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:amp|lt|gt|quot);/g, (entity) => characters[entity] ?? entity)
  return text.split(/\s+/).filter(Boolean).join(' ')
}
