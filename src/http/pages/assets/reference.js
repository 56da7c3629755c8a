import { foldContents, markCurrent } from './contents.js'
import { addCopyButtons } from './copy.js'
import { makeTabs } from './tabs.js'

const mostFields = 40

keepPlace(document.querySelector('.way-in form'))
const contents = document.querySelector('.contents')
if (contents !== null) {
  const boxes = [...document.querySelectorAll('.box')]
  makeTabs(boxes)
  addCopyButtons(boxes)
  foldContents(contents)
  makeSearch(contents)
  const links = 'nav > ul:last-of-type a'
  markCurrent(contents, links, contents.querySelector(links))
}

/** A form does not send the part of the address that names the place in the page. */
function keepPlace(form) {
  if (form !== null) form.action += location.hash
}

/* Search */

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
