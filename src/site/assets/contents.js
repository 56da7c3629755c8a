// The contents beside the text: folded on a narrow screen. The link of the reader's section is marked.

const wideEnough = matchMedia('(min-width: 60rem)')

/** Folds the contents on a narrow screen until the reader opens them. */
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

/**
 * Marks the links of the section where the reader is, and names the section in the bar of a narrow screen. Above
 * all sections no link is marked, unless there is a `first` one.
 */
export function markCurrent(selector, first = undefined) {
  const bar = document.querySelector('.contents summary span')
  const title = bar.textContent
  const links = Map.groupBy(document.querySelectorAll(selector), ({ hash }) => hash.slice(1))
  const sections = [...links.keys()].map((id) => document.getElementById(id)).filter((one) => one !== null)
  let current = []
  let isWaiting = false
  const mark = () => {
    isWaiting = false
    const line = innerHeight / 3
    const last = sections.findLast((section) => section.getBoundingClientRect().top < line)
    const next = last === undefined ? first : links.get(last.id)
    if (next === current) return
    for (const link of current) link.removeAttribute('aria-current')
    current = next ?? []
    bar.textContent = (current[0]?.querySelector('span') ?? current[0])?.textContent ?? title
    for (const link of current) {
      link.setAttribute('aria-current', 'true')
      if (wideEnough.matches) showIn(link.closest('.contents, .on-page'), link)
    }
  }
  const soon = () => {
    if (!isWaiting) requestAnimationFrame(mark)
    isWaiting = true
  }
  addEventListener('scroll', soon, { passive: true })
  addEventListener('resize', soon)
  mark()
}

function showIn(frame, link) {
  const { top, bottom } = link.getBoundingClientRect()
  const edges = frame.getBoundingClientRect()
  if (top < edges.top + 80 || bottom > edges.bottom - 20) {
    frame.scrollTop += top - edges.top - frame.clientHeight / 2
  }
}
