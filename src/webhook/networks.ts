import { isIP, isIPv4, isIPv6 } from 'node:net'
import type ipaddr from 'ipaddr.js'
import { parseAddress } from '../ip_address.ts'

/** A network of IPv4 or IPv6 addresses: its base address and the length of its prefix in bits. */
export type Network = [base: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number]

/**
 * Reads a list of networks, as in the setting CALLBACK_ALLOW_NETWORKS: CIDRs or single addresses, IPv4 or
 * IPv6, separated by commas or white space. An empty text is an empty list.
 * Throws an Error that names the first entry that is neither.
 */
export function parseNetworks(text: string): Network[] {
  return text
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map(parseNetwork)
}

function parseNetwork(entry: string): Network {
  const [address = '', prefix, ...rest] = entry.split('/')
  const family = isIP(address)
  const widest = family === 4 ? 32 : 128
  const prefixLength = prefix === undefined ? widest : Number(prefix)
  const prefixIsSound = prefix === undefined || (/^\d{1,3}$/.test(prefix) && prefixLength <= widest)
  if (family === 0 || address.includes('%') || !prefixIsSound || rest.length > 0) {
    throw new Error(`'${entry}' is neither an IP address nor a network such as 127.0.0.0/8`)
  }
  return [parseAddress(address), prefixLength]
}

/**
 * Tells whether an address lies in one of the networks. IPv4 and IPv6 are kept apart: an IPv4-mapped IPv6
 * address is in no IPv4 network. A text that is no plain address is in none.
 */
export function contains(networks: readonly Network[], address: string): boolean {
  if (!isPlainAddress(address)) return false
  const parsed = parseAddress(address)
  return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))
}

/**
 * Tells whether an address is one that no webhook may be sent to: everything that is not plainly public, and
 * every text that is no plain IP address (specification 6.7, rule 3).
 */
export function isBlockedAddress(address: string): boolean {
  if (!isPlainAddress(address)) return true
  if (isIPv4(address)) return contains(BLOCKED_IPV4, address)
  return !contains(GLOBAL_IPV6, address) || contains(BLOCKED_IPV6, address)
}

/** Tells whether an address is blocked and in none of the networks that the operator has opened. */
export function isRefusedAddress(address: string, allowNetworks: readonly Network[]): boolean {
  return isBlockedAddress(address) && !contains(allowNetworks, address)
}

/** An address without a zone (`%eth0`); IPv4 in dotted decimals without leading zeros. */
function isPlainAddress(address: string): boolean {
  return isIPv4(address) || (isIPv6(address) && !address.includes('%'))
}

/**
 * The IANA IPv4 special-purpose registry as a whole, also its few entries that are routed (they are services
 * of the network itself, never a receiver), with multicast and what is internal without being registered.
 */
const BLOCKED_IPV4 = parseNetworks(`
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15
  198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  168.63.129.16 100.100.100.200
`)

/** All global unicast IPv6 is allotted from here: anything else is refused, also what is yet unassigned. */
const GLOBAL_IPV6 = parseNetworks('2000::/3')

/** The entries of the IANA IPv6 special-purpose registry inside 2000::/3 (Teredo, ORCHID, 6to4, …). */
const BLOCKED_IPV6 = parseNetworks('2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20')
