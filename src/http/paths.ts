/** What stands before a path, and what lies below it. */
type Rule = {
  path: string
  /** Where the API key is read from; absent: no key is needed. */
  key?: 'header' | 'query' | 'header or query'
  /** The password of the guide is needed. */
  password?: true
  /** What is there is not public, and its address may hold a key: no cache keeps it, no other server learns of it. */
  uncached?: true
}

const rules: Rule[] = [
  { path: '/b2b', key: 'header' },
  { path: '/simulation', key: 'header' },
  { path: '/reference', key: 'query', uncached: true },
  { path: '/openapi.json', key: 'header or query', uncached: true },
  { path: '/docs', password: true, uncached: true },
]

/** Where suppliers push results. Anybody may send there: who is who only the whole body shows. */
export const pushRoute = '/suppliers/:code/results'

/** The routes that load balancers ask for every few seconds. */
const healthChecks = ['/livez', '/readyz']

// Pushes are counted by their route: those that are refused, and those that come again and again.
const uncounted = [...healthChecks, pushRoute]

const reading = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

/**
 * What a request to this path has to bring, also where there is no such route: that is for those with a key to know.
 * Specification 4 and 5.
 */
export function rulesFor(path: string): Omit<Rule, 'path'> {
  return rules.find((rule) => path === rule.path || path.startsWith(`${rule.path}/`)) ?? {}
}

/** Whether requests to the route count against the rate limit; undefined stands for no route, which does. Specification 8. */
export function isCounted(pattern: string | undefined): boolean {
  return pattern === undefined || !uncounted.includes(pattern)
}

/** Whether the route is a health check. */
export function isHealthCheck(pattern: string | undefined): boolean {
  return pattern !== undefined && healthChecks.includes(pattern)
}

/** Whether the origin check is for requests with this method; it is made on every path. Specification 5, rule 7. */
export function isWrite(method: string): boolean {
  return !reading.includes(method)
}
