// The key has done its work: it must not stay in the address bar, in bookmarks or in what is copied from there.
history.replaceState(null, '', location.pathname + location.hash)

const wideEnough = matchMedia('(min-width: 60rem)')

document.addEventListener('DOMContentLoaded', () => {
  keepPlace(document.querySelector('.way-in form'))
  const contents = document.querySelector('.contents')
  if (contents === null) return
  const boxes = [...document.querySelectorAll('.box')]
  boxes.forEach(makeTabs)
  boxes.forEach(addCopyButton)
  foldContents(contents)
  makeSearch(contents)
  markCurrent(contents)
})

/** A form does not send the part of the address that names the place in the page. */
function keepPlace(form) {
  if (form !== null) form.action += location.hash
}

/* Tabs */

/** Chooses the tab with this label in every box of the group that has it. */
function choose(group, label) {
  for (const { box, select } of grouped) if (box.dataset.group === group) select(label)
}

const grouped = []
let nextId = 1

function makeTabs(box) {
  const panels = [...box.querySelectorAll('.panel[data-label]')]
  if (panels.length < 2) return
  const list = document.createElement('div')
  list.className = 'tabs'
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', box.querySelector('.box-title').textContent)
  const tabs = panels.map((panel) => {
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
  })
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
    if (box.dataset.group === '') select(label)
    else choose(box.dataset.group, label)
    tabs[index].focus({ preventScroll: true })
    // Boxes above may have changed their height: what the reader looks at stays where it is.
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
  grouped.push({ box, select })
  select(panels[0].dataset.label)
}

function tabAfter(key, index, count) {
  const next = {
    ArrowRight: (index + 1) % count,
    ArrowLeft: (index - 1 + count) % count,
    Home: 0,
    End: count - 1,
  }
  return next[key]
}

/* Copying */

function addCopyButton(box) {
  // Browsers offer the clipboard only to pages that came by HTTPS or from this machine.
  if (navigator.clipboard === undefined) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${box.querySelector('.box-title').textContent}`)
  button.addEventListener('click', async () => {
    const shown = box.querySelector('.panel:not([hidden]) pre')
    const done = await navigator.clipboard.writeText(shown.textContent).then(
      () => 'Copied',
      () => 'Not allowed',
    )
    button.textContent = done
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1_500)
  })
  box.querySelector('.box-head').append(button)
}

/* Contents */

/** On a narrow screen the contents are folded until they are asked for. */
function foldContents(contents) {
  const foldIfNarrow = () => {
    contents.open = wideEnough.matches
  }
  foldIfNarrow()
  wideEnough.addEventListener('change', foldIfNarrow)
  contents.addEventListener('click', ({ target }) => {
    if (!wideEnough.matches && target.closest('a') !== null) contents.open = false
  })
}

/** Marks in the contents where the reader is. */
function markCurrent(contents) {
  const links = new Map()
  for (const link of contents.querySelectorAll('nav > ul:last-of-type a')) {
    links.set(link.hash.slice(1), link)
  }
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter((place) => place !== null)
  let current
  let waiting = false
  const mark = () => {
    waiting = false
    const line = innerHeight / 3
    const last = places.findLast((place) => place.getBoundingClientRect().top < line) ?? places[0]
    const link = links.get(last?.id)
    if (link === undefined || link === current) return
    current?.removeAttribute('aria-current')
    link.setAttribute('aria-current', 'true')
    current = link
    if (!wideEnough.matches) return
    const { top, bottom } = link.getBoundingClientRect()
    const frame = contents.getBoundingClientRect()
    if (top < frame.top + 80 || bottom > frame.bottom - 20) {
      contents.scrollTop += top - frame.top - contents.clientHeight / 2
    }
  }
  const soon = () => {
    if (!waiting) requestAnimationFrame(mark)
    waiting = true
  }
  addEventListener('scroll', soon, { passive: true })
  addEventListener('resize', soon)
  mark()
}

/* Search */

const mostFields = 40

function makeSearch(contents) {
  const label = contents.querySelector('.search')
  const input = label.querySelector('input')
  const found = contents.querySelector('.found')
  const list = contents.querySelector('.found-fields')
  label.hidden = false
  const fields = searchable()
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    const operations = filterContents(contents, words)
    const matches =
      words.length === 0 ? [] : fields.filter(({ text }) => words.every((word) => text.includes(word)))
    list.replaceChildren(
      ...matches.slice(0, mostFields).map(({ id, title, place }) => linkTo(id, title, place)),
    )
    list.hidden = matches.length === 0
    found.textContent = words.length === 0 ? '' : countOf(operations, matches.length)
  }
  input.addEventListener('input', search)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      input.value = ''
      search()
    }
    if (event.key === 'Enter')
      contents.querySelector('nav li:not([hidden]) a[data-words]:not([hidden] *), .found-fields a')?.click()
  })
  addEventListener('keydown', (event) => {
    if (
      event.key !== '/' ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.closest?.('input')
    )
      return
    event.preventDefault()
    contents.open = true
    input.focus()
  })
}

/** Fields and codes of errors, by their names and those of the operations they belong to. */
function searchable() {
  const fields = [...document.querySelectorAll('.field[id]')].map((field) => {
    const name = field.querySelector('.field-name').textContent
    const section = field.closest('section')
    const heading = document.getElementById(section?.getAttribute('aria-labelledby') ?? '')
    const place = heading?.textContent ?? ''
    return { id: field.id, title: name, place, text: name.toLowerCase() }
  })
  const codes = [...document.querySelectorAll('tr[id]')].map((row) => {
    const name = row.querySelector('code').textContent
    return { id: row.id, title: name, place: 'Errors', text: `${name} ${row.textContent}`.toLowerCase() }
  })
  return [...codes, ...fields]
}

function filterContents(contents, words) {
  let shown = 0
  for (const link of contents.querySelectorAll('a[data-words]')) {
    const matches = words.every((word) => link.dataset.words.includes(word))
    link.parentElement.hidden = !matches
    if (matches) shown += 1
  }
  for (const item of contents.querySelectorAll('nav > ul:last-of-type > li')) {
    const links = item.querySelectorAll('li')
    item.hidden = words.length > 0 && [...links].every((link) => link.hidden)
  }
  return shown
}

function linkTo(id, title, place) {
  const link = document.createElement('a')
  link.href = `#${id}`
  const small = document.createElement('small')
  small.textContent = place
  link.append(title, ' ', small)
  const item = document.createElement('li')
  item.append(link)
  return item
}

function countOf(operations, fields) {
  if (operations + fields === 0) return 'Nothing found'
  return `${operations} ${operations === 1 ? 'operation' : 'operations'}, ${fields} ${fields === 1 ? 'field or code' : 'fields and codes'}`
}
