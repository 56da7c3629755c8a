import { foldContents, markCurrent } from './contents.js'
import { addCopyButtons } from './copy.js'
import { addGuideSearch } from './guide_search.js'
import { makeTabs } from './tabs.js'

const boxes = [...document.querySelectorAll('.box')]
makeTabs(boxes)
addCopyButtons(boxes)
foldContents(document.querySelector('.contents'))
markCurrent('.sections a')
addGuideSearch(document.querySelector('.search'))
