const hostOfOrigin = /^[a-z][a-z0-9+.-]*:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/**
 * Whether an `Origin` header matches an allowlist, whose entries are a host (`shop.example`: any scheme and port, not
 * its subdomains), `*.shop.example` (its subdomains) or a whole origin (`https://shop.example:8443`). Letter case and a
 * scheme's default port make no difference. What is no origin, such as `null`, matches nothing. Specification 5, rule 7.
 */
export function originAllowed(origin: string, allowed: readonly string[]): boolean {
  const host = hostOfOrigin.exec(origin.toLowerCase())?.[1]
  if (host === undefined) return false
  return allowed.some((given) => {
    const entry = given.toLowerCase()
    if (entry.includes('://')) return plainOrigin(entry) === plainOrigin(origin.toLowerCase())
    return entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry
  })
}

/** Whether a text can stand in an allowlist of origins. */
export function isOriginPattern(entry: string): boolean {
  if (entry.includes('://')) return hostOfOrigin.test(entry.toLowerCase())
  return /^(\*\.)?[a-z0-9]([a-z0-9._-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/i.test(entry)
}

function plainOrigin(origin: string): string {
  return origin.replace(/^(https:\/\/.*):443$/, '$1').replace(/^(http:\/\/.*):80$/, '$1')
}
