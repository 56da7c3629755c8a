import { isIP, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { parseAddress } from '../network/ip_address.ts'
import { within } from '../within.ts'
import type { Deadline } from './deadline.ts'
import { type Failure, failureOf, tlsFailureOf } from './failure.ts'
import type { Address } from './resolve.ts'

/** The target: checked addresses in order of preference, and whether and under which name to use TLS. */
export type Target = {
  addresses: Address[]
  port: number
  tls: boolean
  /** The host of the URL, a name or an IPv4 address: the certificate must be valid for it. */
  hostname: string
  /** Certificate authorities in place of the usual ones, in PEM. */
  ca?: string | undefined
}

/** A socket that is ready for the request; or why there is none: it `strayed` to an unchecked address, or failed. */
export type Connection =
  | { kind: 'connected'; socket: Socket }
  | { kind: 'strayed'; error: string }
  | ({ kind: 'failed' } & Failure)

/** The most addresses that are tried. With more, each would get too little time. */
const MAX_ADDRESSES = 4

/**
 * Connects to one of the checked addresses and to no other: it resolves no name and uses no proxy (specification 6.7).
 * Until an address accepts the connection it tries the next one, each with an equal share of the time left. After that
 * it tries no other, so no request can be sent twice.
 */
export async function connect(target: Target, deadline: Deadline): Promise<Connection> {
  const addresses = target.addresses.slice(0, MAX_ADDRESSES)
  let connection: Connection = { kind: 'failed', errorKind: 'connection_error', error: 'no address' }
  for (const [index, address] of addresses.entries()) {
    const shareMs = deadline.leftMs() / (addresses.length - index)
    connection = await connectTo(address, target.port, shareMs, deadline)
    if (connection.kind !== 'failed') break
  }
  return connection.kind === 'connected' && target.tls ? secure(connection.socket, target, deadline) : connection
}

async function connectTo(to: Address, port: number, ms: number, deadline: Deadline): Promise<Connection> {
  const socket = netConnect({ host: to.address, port, family: to.family, autoSelectFamily: false, noDelay: true })
  const opened = new Promise<Connection>((resolve) => {
    socket.once('connect', () => resolve({ kind: 'connected', socket }))
    socket.on('error', (error) => resolve({ kind: 'failed', ...failureOf(error) }))
  })
  const late = (): Connection => ({ kind: 'failed', ...deadline.expired('connect') })
  const connection = await within(ms, opened, late)
  if (connection.kind === 'connected' && isSame(socket.remoteAddress, to.address)) return connection
  socket.destroy()
  if (connection.kind !== 'connected') return connection
  return { kind: 'strayed', error: `connected to ${socket.remoteAddress ?? 'nowhere'}, not to ${to.address}` }
}

/** The kernel may connect to another address than the requested one: Linux connects 0.0.0.0 to the machine itself. */
function isSame(actual: string | undefined, asked: string): boolean {
  if (actual === undefined || isIP(actual) !== isIP(asked)) return false
  return parseAddress(actual).toNormalizedString() === parseAddress(asked).toNormalizedString()
}

async function secure(tcp: Socket, target: Target, deadline: Deadline): Promise<Connection> {
  // A trailing dot is DNS syntax: neither SNI (RFC 6066) nor certificates use it.
  const name = target.hostname.replace(/\.$/, '')
  const socket = tlsConnect({
    socket: tcp,
    host: name,
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ...(target.ca === undefined ? {} : { ca: target.ca }),
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  })
  const secured = new Promise<Connection>((resolve) => {
    socket.once('secureConnect', () => resolve({ kind: 'connected', socket }))
    socket.on('error', (error) => resolve({ kind: 'failed', ...tlsFailureOf(error) }))
  })
  const late = (): Connection => ({ kind: 'failed', ...deadline.expired('TLS handshake') })
  const connection = await within(deadline.leftMs(), secured, late)
  if (connection.kind === 'failed') {
    socket.destroy()
    tcp.destroy()
  }
  return connection
}
