// The contents beside the text: folded on a narrow screen, and marked where the reader is.

const wideEnough = matchMedia('(min-width: 60rem)')

/** On a narrow screen the contents are folded until they are asked for. */
export function foldContents(contents) {
  const foldIfNarrow = () => {
    contents.open = wideEnough.matches
  }
  foldIfNarrow()
  wideEnough.addEventListener('change', foldIfNarrow)
  contents.addEventListener('click', ({ target }) => {
    if (!wideEnough.matches && target.closest('a') !== null) contents.open = false
  })
  contents.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || wideEnough.matches) return
    contents.open = false
    contents.querySelector('summary').focus()
  })
}

/** Marks the link of the place where the reader is. Above all places none is marked, unless there is a `first`. */
export function markCurrent(contents, selector, first = undefined) {
  const links = new Map()
  for (const link of contents.querySelectorAll(selector)) links.set(link.hash.slice(1), link)
  const places = [...links.keys()].map((id) => document.getElementById(id)).filter((place) => place !== null)
  let current
  let waiting = false
  const mark = () => {
    waiting = false
    const line = innerHeight / 3
    const last = places.findLast((place) => place.getBoundingClientRect().top < line)
    const link = last === undefined ? first : links.get(last.id)
    if (link === current) return
    current?.removeAttribute('aria-current')
    link?.setAttribute('aria-current', 'true')
    current = link
    if (link !== undefined && wideEnough.matches) showIn(contents, link)
  }
  const soon = () => {
    if (!waiting) requestAnimationFrame(mark)
    waiting = true
  }
  addEventListener('scroll', soon, { passive: true })
  addEventListener('resize', soon)
  mark()
}

function showIn(contents, link) {
  const { top, bottom } = link.getBoundingClientRect()
  const frame = contents.getBoundingClientRect()
  if (top < frame.top + 80 || bottom > frame.bottom - 20) {
    contents.scrollTop += top - frame.top - contents.clientHeight / 2
  }
}
