import ipaddr from 'ipaddr.js'

const compatible = /^::\d+\.\d+\.\d+\.\d+$/

/**
 * An IP address from its text. Throws if it is none. ipaddr.js takes `::10.1.2.3` for the mapped `::ffff:10.1.2.3`;
 * written as `0::10.1.2.3`, it is read as the IPv6 address that it is.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.parse(compatible.test(text) ? `0${text}` : text)
}
