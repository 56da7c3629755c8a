import { makeSearch } from './search.js'

/** The search of the guide. The service sends the sections of all pages. */
export function addGuideSearch(box) {
  const source = new URL(box.dataset.source, location)
  makeSearch(box, async () => {
    const answer = await fetch(source)
    if (!answer.ok) throw new Error(`the sections of the guide: ${answer.status}`)
    const { data } = await answer.json()
    return data.map((section) => ({
      ...section,
      href: new URL(section.href, source).href,
      // A page ranks above its sections.
      weight: section.href.includes('#') ? 1 : 1.5,
    }))
  })
}
