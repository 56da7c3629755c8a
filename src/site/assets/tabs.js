// Tabs of boxes of code, by the ARIA pattern. All boxes of the group `language` show the same one, on all pages.

const selectsOfLanguages = []
let nextId = 1

/** Adds tabs to each box with several panels. */
export function makeTabs(boxes) {
  for (const box of boxes) {
    const panels = [...box.querySelectorAll('.panel')]
    if (panels.length > 1) addTabs(box, panels)
  }
  const language = remembered()
  if (language !== null) selectLanguage(language)
}

/** Selects the tab with this label in every box of languages. */
function selectLanguage(label) {
  for (const select of selectsOfLanguages) select(label)
}

function addTabs(box, panels) {
  const { group, about } = box.dataset
  const list = document.createElement('div')
  list.className = 'tabs'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', about)
  const tabs = panels.map(tabFor)
  const select = (label) => {
    const found = panels.findIndex((panel) => panel.dataset.label === label)
    if (found < 0) return
    panels.forEach((panel, index) => {
      panel.hidden = index !== found
      tabs[index].setAttribute('aria-selected', String(index === found))
      tabs[index].tabIndex = index === found ? 0 : -1
    })
  }
  const change = (index) => {
    const { label } = panels[index].dataset
    const before = tabs[index].getBoundingClientRect().top
    if (group === 'language') {
      selectLanguage(label)
      remember(label)
    } else select(label)
    tabs[index].focus({ preventScroll: true })
    // Boxes above may have changed their height: keep the reader's place.
    scrollBy({ top: tabs[index].getBoundingClientRect().top - before, behavior: 'instant' })
  }
  tabs.forEach((tab, index) => {
    tab.addEventListener('click', () => change(index))
  })
  list.addEventListener('keydown', (event) => {
    const next = tabAfter(event.key, tabs.indexOf(document.activeElement), tabs.length)
    if (next === undefined) return
    event.preventDefault()
    change(next)
  })
  list.append(...tabs)
  box.querySelector('.box-head').append(list)
  box.classList.add('has-tabs')
  if (group === 'language') selectsOfLanguages.push(select)
  select(panels[0].dataset.label)
}

function tabFor(panel) {
  const tab = document.createElement('button')
  tab.type = 'button'
  tab.textContent = panel.dataset.label
  tab.setAttribute('role', 'tab')
  tab.id = `tab-${nextId}`
  panel.id ||= `panel-${nextId}`
  nextId += 1
  tab.setAttribute('aria-controls', panel.id)
  panel.setAttribute('role', 'tabpanel')
  return tab
}

function tabAfter(key, index, count) {
  const next = { ArrowRight: (index + 1) % count, ArrowLeft: (index - 1 + count) % count, Home: 0, End: count - 1 }
  return next[key]
}

/* The next page selects the same tab. A browser without storage shows the first tab. */

const storageName = 'tab of language'

function remembered() {
  try {
    return localStorage.getItem(storageName)
  } catch {
    return null
  }
}

function remember(label) {
  try {
    localStorage.setItem(storageName, label)
  } catch {
    // The next page shows the first tab.
  }
}
