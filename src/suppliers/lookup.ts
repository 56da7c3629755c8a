import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isMetadataAddress } from './supplier_hosts.ts'

/**
 * Resolves the name of a supplier's host as node does, for its connections. The error of a name that leads to an
 * address of a cloud's metadata has the code REFUSED_ADDRESS.
 */
export const lookup: LookupFunction = (hostname, options, done) =>
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    // guard: no supplier is called at an address of a cloud's metadata
    const isRefused = error === null && addresses.some(({ address }) => isMetadataAddress(address))
    const fault = isRefused ? Object.assign(new Error('refused address'), { code: 'REFUSED_ADDRESS' }) : error
    if (fault !== null) return done(fault, [])
    const [first] = addresses
    if (options.all === true) done(null, addresses)
    else done(null, first?.address ?? '', first?.family)
  })
