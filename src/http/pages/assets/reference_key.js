// The key has done its work: it must not stay in the address bar, in bookmarks or in what is copied from there.
history.replaceState(null, '', location.pathname + location.hash)
