import { foldContents, markCurrent } from './contents.js'
import { addCopyButtons } from './copy.js'
import { makeSearch } from './search.js'
import { makeTabs } from './tabs.js'

const boxes = [...document.querySelectorAll('.box')]
makeTabs(boxes)
addCopyButtons(boxes)
foldContents(document.querySelector('.contents'))
markCurrent('.sections a')

const search = document.querySelector('.search')
const source = new URL(search.dataset.source, location)
makeSearch(search, async () => {
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
