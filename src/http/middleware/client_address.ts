import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { parseAddress } from '../../network/ip_address.ts'

/**
 * The address of the client (specification 8): the socket's, unless `trustProxyHops` is above 0; then the entry that
 * the outermost trusted proxy added to `X-Forwarded-For`, counted from the right. Where there are fewer entries, or
 * that one is no address, it is the socket's again. An IPv4 address mapped into IPv6 is given as IPv4. Undefined if the
 * client has gone.
 */
export function clientAddress(request: IncomingMessage, trustProxyHops: number): string | undefined {
  const forwarded = trustProxyHops > 0 ? forwardedEntry(request, trustProxyHops) : undefined
  return forwarded ?? plainAddress(request.socket.remoteAddress?.replace(/%.*$/s, ''))
}

/** The network that the rate limit counts a client by: its IPv4 address, or the /64 of its IPv6 address. */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address)
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : address
}

function forwardedEntry(request: IncomingMessage, hops: number): string | undefined {
  const header = request.headers['x-forwarded-for']
  const entries = [header ?? []].flat().join(',').split(',')
  return plainAddress(entries.at(-hops)?.trim())
}

// A zone, as in fe80::1%eth0, means something on its own machine only.
function plainAddress(text: string | undefined): string | undefined {
  if (text === undefined || isIP(text) === 0 || text.includes('%')) return undefined
  const address = parseAddress(text)
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
  return (isMapped ? address.toIPv4Address() : address).toString()
}
