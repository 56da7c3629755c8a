import { foldContents, markCurrent } from './contents.js'
import { addCopyButtons } from './copy.js'
import { referenceSections } from './reference_sections.js'
import { makeSearch } from './search.js'
import { makeTabs } from './tabs.js'

const contents = document.querySelector('.contents')
if (contents !== null) {
  const boxes = [...document.querySelectorAll('.box')]
  makeTabs(boxes)
  addCopyButtons(boxes)
  foldContents(contents)
  makeSearch(document.querySelector('.search'), referenceSections)
  const links = 'nav a'
  markCurrent(contents, links, contents.querySelector(links))
}
