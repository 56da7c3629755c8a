import { isIP } from 'node:net'
import type ipaddr from 'ipaddr.js'
import { parseAddress } from './ip_address.ts'

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
 * Returns whether an address lies in one of the networks. IPv4 and IPv6 are kept apart: an IPv4-mapped IPv6
 * address is in no IPv4 network. An address with a zone (`%eth0`), or a text that is no address, is in none.
 */
export function contains(networks: readonly Network[], address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  const parsed = parseAddress(address)
  return networks.some(([base, bits]) => base.kind() === parsed.kind() && parsed.match(base, bits))
}
