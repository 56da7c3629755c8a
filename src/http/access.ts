/** What a request needs to reach a route, and how the API treats it. */
export type Access = {
  /** Where the API key is read from; absent: no key is needed. */
  key?: 'header' | 'query' | 'header or query'
  /** Only accounts in test mode. */
  testOnly?: true
  /** The password of the guide is needed. */
  password?: true
  /** Not public, and the URL may hold an api key: no cache may store it, and no Referer may name it. */
  uncached?: true
  /** The reference's own page may send writes from a browser: `Sec-Fetch-Site` shows that no other site does. */
  ownPages?: true
  /** A query parameter that the route does not declare is refused. */
  strictQuery?: true
  /**
   * Requests do not count against the rate limit (specification 8). The routes of pushes count by themselves the
   * pushes that they refuse or that are repeated too often.
   */
  uncounted?: 'health check' | 'push'
}

/** The kinds of access that routes name (specification 4 and 5). */
export const accesses = {
  key: { key: 'header', strictQuery: true },
  testKey: { key: 'header', testOnly: true, ownPages: true },
  keyInHeaderOrQuery: { key: 'header or query', uncached: true },
  keyInQuery: { key: 'query', uncached: true },
  password: { password: true, uncached: true },
  /** The signature over the whole body shows who sends. */
  supplierSignature: { uncounted: 'push' },
  /** The protocol of the supplier says how its events are known to be authentic. */
  upstreamSignature: { uncounted: 'push' },
  healthCheck: { uncounted: 'health check' },
  none: {},
} as const satisfies { [name: string]: Access }

export type AccessName = keyof typeof accesses
