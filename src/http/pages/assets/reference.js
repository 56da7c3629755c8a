// The key has done its work: it must not stay in the address bar, in bookmarks or in what is copied from there.
history.replaceState(null, '', location.pathname + location.hash)

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
followScheme()
dark.addEventListener('change', followScheme)

/** Nothing is sent from this page, so there is nothing to authorize for. */
const nothing = () => null
const withoutAuthorization = {
  wrapComponents: { authorizeBtn: () => nothing, authorizeOperationBtn: () => nothing },
}

/** Most headers come with every response: they are shown when asked for. */
const foldedHeaders = ({ React }) => ({
  wrapComponents: {
    headers: (Original) => (props) => {
      const summary = React.createElement('summary', null, 'Headers')
      return React.createElement('details', null, summary, React.createElement(Original, props))
    },
  },
})

function readDocument() {
  const spec = JSON.parse(document.getElementById('document').textContent)
  const servers = spec.servers.map(({ url }) => ({
    url: new URL(url, location.origin).href.replace(/\/$/, ''),
  }))
  return { ...spec, servers }
}

document.addEventListener('DOMContentLoaded', () => {
  window.SwaggerUIBundle({
    domNode: document.getElementById('reference'),
    spec: readDocument(),
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [withoutAuthorization, foldedHeaders],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    supportedSubmitMethods: [],
    validatorUrl: null,
  })
})
