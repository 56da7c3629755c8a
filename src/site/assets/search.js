// A search box over sections in the browser: it sends nothing that the reader types.

const maxResults = 20
const snippetLength = 140
const words = /[\p{L}\p{N}]+/gu

/**
 * Makes a box search the sections that `load` returns: `{ href, title, trail, text, weight }`. They are
 * loaded at the first use.
 */
export function makeSearch(box, load) {
  const input = box.querySelector('input')
  const search = searchOf(load)
  const results = resultsOf(box)
  let latest = 0
  let searching

  const close = () => {
    latest += 1
    results.show([])
  }
  const find = async () => {
    latest += 1
    const [own, query] = [latest, input.value.trim()]
    if (query.match(words) === null) return close()
    const found = await search(query).catch(() => undefined)
    // The reader has typed on: a newer search shows its own results.
    if (own !== latest) return
    if (found === undefined) results.show([], 'The search could not be loaded. Type on to try again.')
    else results.show(found.slice(0, maxResults), countOf(found.length))
  }
  const findSoon = () => {
    searching = find()
  }
  const keys = {
    ArrowDown: () => (results.count() === 0 ? findSoon() : results.move(1)),
    ArrowUp: () => results.move(-1),
    Enter: async () => {
      await searching
      results.chosen()?.click()
    },
    Escape: () => {
      if (results.count() === 0) input.value = ''
      close()
    },
  }
  input.addEventListener('keydown', (event) => {
    // Otherwise the focus would move to the scrollable list.
    if (event.key === 'Tab') close()
    if (event.isComposing || !Object.hasOwn(keys, event.key)) return
    event.preventDefault()
    keys[event.key]()
  })
  input.addEventListener('input', findSoon)
  input.addEventListener('focus', () => {
    search('').catch(() => {})
    if (input.value !== '') findSoon()
  })
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget)) close()
  })
  box.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest('a') === null) return
    close()
    input.blur()
  })
  focusBySlash(input)
  box.hidden = false
}

/** The list of results below a box, with its active option. */
function resultsOf(box) {
  const [input, list] = [box.querySelector('input'), box.querySelector('[role="listbox"]')]
  const [note, status] = [box.querySelector('.search-note'), box.querySelector('[role="status"]')]
  let options = []
  let active = -1

  const mark = (index) => {
    options[active]?.setAttribute('aria-selected', 'false')
    active = index
    const option = options[active]
    if (option === undefined) return input.removeAttribute('aria-activedescendant')
    option.setAttribute('aria-selected', 'true')
    option.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', option.id)
  }
  // Without this, the box would lose the focus and close the list before the click.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  return {
    count: () => options.length,
    chosen: () => options[active] ?? options[0],
    move(step) {
      if (options.length === 0) return
      const from = active === -1 && step < 0 ? 0 : active
      mark((from + step + options.length) % options.length)
    },
    show(results, text = '') {
      mark(-1)
      options = results.map(optionOf)
      list.replaceChildren(...options)
      list.scrollTop = 0
      list.hidden = options.length === 0
      input.setAttribute('aria-expanded', String(options.length > 0))
      status.textContent = text
      note.textContent = text
      note.hidden = options.length > 0
      box.querySelector('.search-found').hidden = text === ''
    },
  }
}

function focusBySlash(input) {
  addEventListener('keydown', (event) => {
    const { key, target } = event
    if (key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return
    event.preventDefault()
    input.focus()
    input.select()
  })
}

function isTyping(target) {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** Returns the search function. It loads the index at its first call, and again after a failure. */
function searchOf(load) {
  let loading
  return async (query) => {
    loading ??= indexOf(load).catch((error) => {
      loading = undefined
      throw error
    })
    const { index, sections } = await loading
    if (query === '') return []
    const all = index.search(query, { combineWith: 'AND' })
    const found = all.length > 0 ? all : index.search(query, { combineWith: 'OR' })
    return found.map(({ id, terms }) => ({ ...sections[id], terms: new Set(terms) }))
  }
}

async function indexOf(load) {
  const [{ default: MiniSearch }, sections] = await Promise.all([import('./minisearch.js'), load()])
  const index = new MiniSearch({
    fields: ['title', 'trail', 'text'],
    storeFields: ['weight'],
    tokenize: (text) => text.match(words) ?? [],
    processTerm: termsOf,
    searchOptions: {
      processTerm: (word) => word.toLowerCase(),
      boost: { title: 4, trail: 1.5 },
      boostDocument: (_id, _term, { weight }) => weight ?? 1,
      prefix: true,
      // Numbers and short words must match exactly.
      fuzzy: (term) => (term.length > 4 && !/\d/.test(term) ? 0.2 : false),
    },
  })
  index.addAll(sections.map((section, id) => ({ ...section, id, trail: section.trail.join(' ') })))
  return { index, sections }
}

/** The terms of a word: the whole, and the parts of a name like `externalOrderId`. */
function termsOf(word) {
  const parts = word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(' ')
  return parts.length === 1 ? parts : [word.toLowerCase(), ...parts]
}

function countOf(count) {
  if (count === 0) return 'Nothing found'
  if (count > maxResults) return `The first ${maxResults} of ${count} results`
  return count === 1 ? '1 result' : `${count} results`
}

/* Results */

function optionOf({ href, title, trail, text, terms }, index) {
  const option = document.createElement('a')
  option.href = href
  option.id = `search-result-${index}`
  option.tabIndex = -1
  option.setAttribute('role', 'option')
  option.setAttribute('aria-selected', 'false')
  option.append(
    line('search-title', marked(title, terms)),
    line('search-trail', [trail.join(' › ')]),
    line('search-text', marked(snippetOf(text, terms), terms)),
  )
  return option
}

function line(name, parts) {
  const span = document.createElement('span')
  span.className = name
  span.append(...parts)
  return span
}

/** A text as nodes, with the found words marked. */
function marked(text, terms) {
  const nodes = []
  let end = 0
  for (const { 0: word, index } of text.matchAll(words)) {
    if (!isFound(word, terms)) continue
    const mark = document.createElement('mark')
    mark.textContent = word
    nodes.push(text.slice(end, index), mark)
    end = index + word.length
  }
  return [...nodes, text.slice(end)]
}

function isFound(word, terms) {
  return termsOf(word).some((term) => terms.has(term))
}

/** The part of a text around the first found word. */
function snippetOf(text, terms) {
  const places = [...text.matchAll(words)]
  const first = places.find(({ 0: word }) => isFound(word, terms))?.index ?? 0
  const start = first < 60 ? 0 : (places.find(({ index }) => index >= first - 45)?.index ?? first)
  const rest = text.slice(start)
  const shown = rest.length <= snippetLength ? rest : `${rest.slice(0, rest.lastIndexOf(' ', snippetLength))} …`
  return start === 0 ? shown : `… ${shown}`
}
