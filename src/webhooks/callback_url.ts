import { isIPv4 } from 'node:net'
import type { Network } from '../network/networks.ts'
import { isRefusedAddress } from './networks.ts'

/** Why a URL is refused: it names an address in a blocked range, or it is invalid in another way. */
export type UrlRefusal = 'invalid_url' | 'blocked_address'

/** The result of the check of a callback URL; `reason` is a sentence for the partner. */
export type UrlCheck = { ok: true; url: URL } | { ok: false; reason: string; kind: UrlRefusal }

const MAX_LENGTH = 2048

/**
 * Checks a callback URL as text, at order creation and again before each delivery (specification 6.7). It resolves no
 * name. `allowNetworks` lifts rule 3 alone: an address in an allowed network passes in its canonical spelling; internal
 * names and IPv6 addresses stay refused.
 *
 * It also refuses a text that other parsers could read as another host, although WHATWG turns it into a valid URL:
 * white space, control and invisible characters, backslashes, percent signs in the host, missing slashes,
 * numeric hosts in other spellings than four plain decimals.
 *
 * Returns the parsed URL, or the reason and the kind of the refusal.
 */
export function checkCallbackUrl(text: string, allowNetworks: readonly Network[]): UrlCheck {
  const authority = authorityOf(text)
  const url = URL.parse(text)
  const fault = textFault(text) ?? authorityFault(authority)
  if (fault !== null || url === null) {
    return refused(fault ?? 'callbackUrl is not a valid URL', kindOf(url, allowNetworks))
  }
  if (url.port === '0') return refused('callbackUrl must not use port 0')
  if (isIPv4(url.hostname)) return checkLiteral(url, authority, allowNetworks)
  const hostFault = hostNameFault(url.hostname)
  return hostFault === null ? { ok: true, url } : refused(hostFault)
}

function refused(reason: string, kind: UrlRefusal = 'invalid_url'): UrlCheck {
  return { ok: false, reason, kind }
}

function textFault(text: string): string | null {
  if (text.length > MAX_LENGTH) return `callbackUrl must not be longer than ${MAX_LENGTH} characters`
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) {
    return 'callbackUrl must not contain white space, control characters or backslashes'
  }
  if (!/^https?:/i.test(text)) return 'callbackUrl must be an http or https URL'
  if (!/^https?:\/\/[^/?#]/i.test(text)) return 'callbackUrl must name a host after http:// or https://'
  return null
}

/** The raw text between the two slashes and the path, query or fragment. */
function authorityOf(text: string): string {
  return /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
}

function authorityFault(authority: string): string | null {
  if (authority.includes('@')) return 'callbackUrl must not contain credentials'
  if (authority.startsWith('[')) return 'callbackUrl must not contain an IPv6 address'
  if (/[%\p{Cf}]/u.test(authority)) {
    return 'callbackUrl must not contain percent signs or invisible characters in its host'
  }
  return null
}

function kindOf(url: URL | null, allowNetworks: readonly Network[]): UrlRefusal {
  const host = url?.hostname ?? ''
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  const literal = host.startsWith('[') ? host.slice(1, -1) : isIPv4(host) ? host : null
  const blocked = isHttp && literal !== null && isRefusedAddress(literal, allowNetworks)
  return blocked ? 'blocked_address' : 'invalid_url'
}

function checkLiteral(url: URL, authority: string, allowNetworks: readonly Network[]): UrlCheck {
  if (isRefusedAddress(url.hostname, allowNetworks)) {
    return refused('callbackUrl must not point to a private, loopback or reserved address', 'blocked_address')
  }
  const spelled = authority.replace(/:\d*$/, '')
  if (spelled === url.hostname) return { ok: true, url }
  return refused('callbackUrl must spell an IPv4 address as four decimal numbers')
}

function hostNameFault(hostname: string): string | null {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => HOST_LABEL.test(label))) {
    return 'callbackUrl has a malformed host name'
  }
  if (labels.length === 1 || INTERNAL_NAMES.some((internal) => `.${name}`.endsWith(`.${internal}`))) {
    return 'callbackUrl must not point to an internal host name'
  }
  return null
}

const HOST_LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/

/**
 * Names that, with everything below them, are internal (specification 6.7, rule 5): reserved for local use,
 * or used by container platforms and by clouds for their metadata. None is a public top-level domain, which
 * would exclude real receivers. Single-label names (`postgres`, `metadata`) are refused without a list.
 */
const INTERNAL_NAMES = `
  localhost localdomain localdomain4 localdomain6 local internal intranet private corp home home.arpa lan svc
  docker podman lxd incus consul kubernetes.default metadata.goog metadata.tencentyun.com metadata.aws
  metadata.azure.com metadata.cloud.ibm.com metadata.digitalocean.com metadata.exoscale.com
  metadata.oraclecloud.com metadata.packet.net metadata.platformequinix.com metadata.scaleway.com
`
  .trim()
  .split(/\s+/)
