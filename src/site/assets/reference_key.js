// The key has done its work: it must not stay in the address bar, in bookmarks or in what is copied from there.
history.replaceState(null, '', location.pathname + location.hash)

// A form does not send the part of the address that names the place in the page. Heard before the form is there, for a
// reader may be quicker than the other scripts.
addEventListener('submit', ({ target }) => {
  const action = new URL(target.action)
  action.hash = location.hash
  target.action = action
})
