// Buttons that copy the visible code of a box.

/** Adds a button to each box, and one live region that tells screen readers the result. */
export function addCopyButtons(boxes) {
  const heard = document.createElement('div')
  heard.className = 'off-screen'
  heard.setAttribute('aria-live', 'polite')
  document.body.append(heard)
  for (const box of boxes) addCopyButton(box, heard)
}

function addCopyButton(box, heard) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${box.dataset.about}`)
  let timer
  const show = (text) => {
    button.textContent = text
    heard.textContent = text === 'Copy' ? '' : text
  }
  button.addEventListener('click', async () => {
    const shown = box.querySelector('.panel:not([hidden]) pre')
    show((await copy(shown.textContent)) ? 'Copied' : 'Not allowed')
    clearTimeout(timer)
    timer = setTimeout(show, 1_500, 'Copy')
  })
  box.querySelector('.box-head').append(button)
}

// Browsers offer the clipboard only to pages from HTTPS or localhost, and only with permission.
async function copy(text) {
  if (navigator.clipboard === undefined) return copySelected(text)
  return await navigator.clipboard.writeText(text).then(
    () => true,
    () => copySelected(text),
  )
}

/** Copies by selection, for browsers without the clipboard API. */
function copySelected(text) {
  const focused = document.activeElement
  const area = document.createElement('textarea')
  area.className = 'off-screen'
  area.value = text
  area.readOnly = true
  document.body.append(area)
  area.focus({ preventScroll: true })
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  focused?.focus({ preventScroll: true })
  return done
}
