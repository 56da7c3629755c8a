import { makeSearch } from './search.js'

/** The search of the guide: over the sections of all its pages, which the service knows. */
export function addGuideSearch(box) {
  const source = new URL(box.dataset.source, location)
  makeSearch(box, async () => {
    const answer = await fetch(source)
    if (!answer.ok) throw new Error(`the sections of the guide: ${answer.status}`)
    const { data } = await answer.json()
    return data.map((section) => ({
      ...section,
      href: new URL(section.href, source).href,
      // A page before its sections, where both have the word.
      weight: section.href.includes('#') ? 1 : 1.5,
    }))
  })
}
