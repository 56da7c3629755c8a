import { isIPv4 } from 'node:net'
import { contains, type Network, parseNetworks } from '../network/networks.ts'

/**
 * Returns whether no webhook may be sent to an address: it is not clearly public, or the text is no plain IP
 * address (specification 6.7, rule 3).
 */
export function isBlockedAddress(address: string): boolean {
  if (isIPv4(address)) return contains(BLOCKED_IPV4, address)
  // A text that is no plain address is in no network, and so it is blocked here.
  return !contains(GLOBAL_IPV6, address) || contains(BLOCKED_IPV6, address)
}

/** Returns whether an address is blocked and in none of the networks that the operator has opened. */
export function isRefusedAddress(address: string, allowNetworks: readonly Network[]): boolean {
  return isBlockedAddress(address) && !contains(allowNetworks, address)
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

/** All global unicast IPv6 addresses are allotted from here. All others are refused, also those not yet assigned. */
const GLOBAL_IPV6 = parseNetworks('2000::/3')

/** The entries of the IANA IPv6 special-purpose registry inside 2000::/3 (Teredo, ORCHID, 6to4, …). */
const BLOCKED_IPV6 = parseNetworks('2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20')
