// "Try it": sends an operation's request with the reader's key and shows the answer.

/** Shows the forms and makes them work. */
export function addTryForms(key) {
  for (const box of document.querySelectorAll('.try')) {
    box.hidden = false
    box.querySelector('form').addEventListener('submit', (event) => {
      event.preventDefault()
      send(box, key)
    })
  }
}

async function send(box, key) {
  const status = box.querySelector('.try-status')
  const button = box.querySelector('button')
  const panel = box.querySelector('.panel')
  button.disabled = true
  status.textContent = 'Sending …'
  try {
    const response = await fetch(...requestOf(box.querySelector('form'), key))
    panel.querySelector('code').textContent = readable(await response.text())
    panel.hidden = false
    status.textContent = `${response.status} ${response.statusText}`
  } catch {
    panel.hidden = true
    status.textContent = 'No answer: the network failed or the service is unreachable.'
  } finally {
    button.disabled = false
  }
}

function requestOf(form, key) {
  const { method, path } = form.dataset
  const fields = [...form.querySelectorAll('input')]
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(form.elements[name].value))
  const query = new URLSearchParams(
    fields
      .filter(({ dataset, value }) => dataset.in === 'query' && value !== '')
      .map(({ name, value }) => [name, value]),
  )
  const body = form.querySelector('textarea')?.value
  const headers = { 'X-Api-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
  return [`${filled}${query.size > 0 ? `?${query}` : ''}`, { method, headers, body, cache: 'no-store' }]
}

/** JSON with line breaks, its numbers with all their digits. Any other text as it stands. */
function readable(text) {
  try {
    const value = JSON.parse(text, (_, value, context) =>
      typeof value === 'number' && JSON.rawJSON && context ? JSON.rawJSON(context.source) : value,
    )
    return JSON.stringify(value, null, 2)
  } catch {
    return text
  }
}
