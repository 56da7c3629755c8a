/** The text of a piece of HTML: without its tags, and with the characters that its entities stand for. */
export function textOf(html: string): string {
  const characters: { [entity: string]: string } = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
  return html.replace(/<[^<>]*>/g, '').replace(/&\w+;/g, (entity) => characters[entity] ?? entity)
}
