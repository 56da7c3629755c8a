/** A rule for a path and all paths below it. */
type Rule = {
  path: string
  /** Where the API key is read from; absent: no key is needed. */
  key?: 'header' | 'query' | 'header or query'
  /** The password of the guide is needed. */
  password?: true
  /** Not public, and the URL may hold an api key: no cache may store it, and no Referer may name it. */
  uncached?: true
  /** The reference's own page may send writes from a browser: `Sec-Fetch-Site` shows that no other site does. */
  ownPages?: true
}

const rules: Rule[] = [
  { path: '/b2b', key: 'header' },
  { path: '/simulation', key: 'header', ownPages: true },
  { path: '/reference', key: 'query', uncached: true },
  { path: '/openapi.json', key: 'header or query', uncached: true },
  { path: '/docs', password: true, uncached: true },
]

/** Where suppliers push results. It needs no api key: the signature over the whole body shows who sends. */
export const pushRoute = '/suppliers/:code/results'

/** Where suppliers push events. It needs no api key: each protocol says how its events are known to be authentic. */
export const eventRoute = '/suppliers/:code/webhooks'

/** The routes that load balancers ask for every few seconds. */
const healthChecks = ['/livez', '/readyz']

const pushRoutes = [pushRoute, eventRoute]

// The routes of pushes count by themselves the pushes that they refuse or that are repeated too often.
const uncounted = [...healthChecks, ...pushRoutes]

const reading = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/**
 * The rules for a path. They also hold if there is no such route: only a client with a key gets the 404.
 * Specification 4 and 5.
 */
export function rulesFor(path: string): Omit<Rule, 'path'> {
  return rules.find((rule) => path === rule.path || path.startsWith(`${rule.path}/`)) ?? {}
}

/**
 * Whether requests to the route count against the rate limit; undefined stands for no route, which does. Specification
 * 8.
 */
export function isCounted(pattern: string | undefined): boolean {
  return pattern === undefined || !uncounted.includes(pattern)
}

/** Whether suppliers push to the route: its bodies come from anyone, until they are known to be authentic. */
export function isPush(pattern: string): boolean {
  return pushRoutes.includes(pattern)
}

/** Whether the route is a health check. */
export function isHealthCheck(pattern: string | undefined): boolean {
  return pattern !== undefined && healthChecks.includes(pattern)
}

/** Whether the origin check is for requests with this method; it is made on every path. Specification 5, rule 7. */
export function isWrite(method: string): boolean {
  return !reading.includes(method)
}
