/**
 * An origin in the form in which origins are compared: lower case, no default port, an IPv6 address in its shortest
 * form.
 */
export type Origin = { host: string; whole: string }

const maxLength = 300
const parts = /^([a-z][a-z0-9+.-]*:\/\/)?(\*\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/
const defaultPorts = new Map([
  ['https://', '443'],
  ['http://', '80'],
])

/** What an `Origin` header says; undefined for what is no origin, such as `null`, or is longer than 300 characters. */
export function parseOrigin(header: string): Origin | undefined {
  const { scheme, wildcard, host, port } = split(header) ?? {}
  if (scheme === undefined || wildcard !== undefined || host === undefined) return undefined
  return { host, whole: `${scheme}${host}${port === undefined ? '' : `:${port}`}` }
}

/**
 * An entry of an allowlist in the form in which it is compared. An entry is a host (`shop.example`: any scheme and
 * port, not its subdomains), `*.shop.example` (its subdomains) or a whole origin (`https://shop.example:8443`).
 * Undefined for what is none of these.
 */
export function parseEntry(text: string): string | undefined {
  const { scheme, wildcard = '', host, port } = split(text) ?? {}
  if (host === undefined) return undefined
  if (scheme !== undefined) return wildcard === '' ? parseOrigin(text)?.whole : undefined
  return port === undefined && (wildcard === '' || !host.startsWith('[')) ? `${wildcard}${host}` : undefined
}

/** Whether an origin matches an allowlist, whose entries come from `parseEntry`. Specification 5, rule 7. */
export function originAllowed({ host, whole }: Origin, allowed: readonly string[]): boolean {
  return allowed.some(
    (entry) => entry === host || entry === whole || (entry.startsWith('*.') && host.endsWith(entry.slice(1))),
  )
}

function split(text: string) {
  if (text.length > maxLength) return undefined
  const [matched, scheme, wildcard, name, port] = parts.exec(text.toLowerCase()) ?? []
  const host = name?.startsWith('[') ? URL.parse(`http://${name}`)?.hostname : name
  if (matched === undefined || Number(port ?? 0) > 65_535) return undefined
  const isDefault = scheme !== undefined && defaultPorts.get(scheme) === port
  return { scheme, wildcard, host, port: isDefault ? undefined : port }
}
