// The key must not stay in the address bar, in bookmarks or in copied addresses. Only this page's memory keeps it, for
// the requests of "Try it".
globalThis.apiKey = new URLSearchParams(location.search).get('key') ?? ''
history.replaceState(null, '', location.pathname + location.hash)

// A form does not send the fragment of the address. The reader may send it before the other scripts are loaded.
addEventListener('submit', ({ target }) => {
  if (target.method !== 'get' || target.closest('.way-in') === null) return
  const action = new URL(target.action)
  action.hash = location.hash
  target.action = action
})
