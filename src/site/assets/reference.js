import { foldContents, markCurrent } from './contents.js'
import { addCopyButtons } from './copy.js'
import { referenceSections } from './reference_sections.js'
import { makeSearch } from './search.js'
import { makeTabs } from './tabs.js'
import { addTryForms } from './try_it.js'

const contents = document.querySelector('.contents')
if (contents !== null) {
  const boxes = [...document.querySelectorAll('.box:not(.try)')]
  makeTabs(boxes)
  addCopyButtons(boxes)
  foldContents(contents)
  makeSearch(document.querySelector('.search'), referenceSections)
  markCurrent('.contents nav a')
  addTryForms(globalThis.apiKey)
}
