import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Log } from '../../log.ts'
import { parseAddress } from '../../network/ip_address.ts'

/**
 * The address of the client (specification 8): the socket's, unless `trustProxyHops` is above 0; then the entry that
 * the outermost trusted proxy added to `X-Forwarded-For`, counted from the right. Where there are fewer entries, or
 * that one is no address, it is the socket's again. A port after the address does not count. An IPv4 address mapped into
 * IPv6 is given as IPv4. Undefined if the client has gone. `onNoAddress` is called for an entry that is no address.
 */
export function clientAddress(
  request: IncomingMessage,
  trustProxyHops: number,
  onNoAddress: () => void = () => {},
): string | undefined {
  const entry = trustProxyHops > 0 ? forwardedEntry(request, trustProxyHops) : undefined
  const forwarded = plainAddress(entry?.replace(withPort, '$<v4>$<v6>'))
  if (entry !== undefined && forwarded === undefined) onNoAddress()
  return forwarded ?? plainAddress(request.socket.remoteAddress?.replace(/%.*$/s, ''))
}

// As 203.0.113.9:4711, [2001:db8::7] and [2001:db8::7]:4711. Some proxies add the port of the client.
const withPort = /^(?:(?<v4>[\d.]+):\d{1,5}|\[(?<v6>[^\]]*)\](?::\d{1,5})?)$/

const everyMs = 60_000

/** Counts entries that are no address, and logs their number: the first at once, the others once a minute. */
export function createEntryLog(log: Pick<Log, 'warn'>): () => void {
  let requests = 0
  let timer: NodeJS.Timeout | undefined
  const report = () => {
    timer = undefined
    if (requests === 0) return
    log.warn(
      { requests },
      'the entry of X-Forwarded-For that TRUST_PROXY_HOPS names is no address: counted by the proxy',
    )
    requests = 0
    timer = setTimeout(report, everyMs).unref()
  }
  return () => {
    requests += 1
    if (timer === undefined) report()
  }
}

/** The network that the rate limit counts a client by: its IPv4 address, or the /64 of its IPv6 address. */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : address
}

function forwardedEntry(request: IncomingMessage, hops: number): string | undefined {
  const header = request.headers['x-forwarded-for']
  const entries = [header ?? []].flat().join(',').split(',')
  return header === undefined ? undefined : entries.at(-hops)?.trim()
}

// A zone, as in fe80::1%eth0, means something on its own machine only.
function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIP(text) === 0 || text.includes('%')) return undefined
  const address = parseAddress(text)
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  return (isMapped ? address.toIPv4Address() : address).toString()
}
