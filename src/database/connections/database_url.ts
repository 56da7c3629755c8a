/** One server of a database URL. */
export type DatabaseServer = {
  /** A URL that names this server alone. */
  url: string
  /** Without the brackets of an IPv6 address; undefined if the URL names none. */
  host: string | undefined
  port: number
}

/** The required kind of server: one that takes writes, one that is no standby, or any that answers. */
export type TargetSession = 'read-write' | 'primary' | 'any'

export type DatabaseServers = { servers: DatabaseServer[]; target: TargetSession }

/**
 * What is wrong with a database URL: the rest of a sentence that begins with the setting's name. It shows no part of
 * the URL.
 */
export class DatabaseUrlError extends Error {
  override name = 'DatabaseUrlError'
}

const targets: readonly string[] = ['read-write', 'primary', 'any'] satisfies TargetSession[]
const targetName = 'target_session_attrs'
const defaultPort = 5432

/**
 * Reads a `postgres://` URL that names one server or, as libpq takes it, several, with `target_session_attrs`:
 * `postgres://user:password@one:5432,two:5433/db?target_session_attrs=read-write`. A server without a port has 5432.
 * Without the attribute, a single server may be of any kind, and one of several must take writes: libpq would take any,
 * but a standby is of no use here. Throws DatabaseUrlError.
 */
export function parseDatabaseUrl(text: string): DatabaseServers {
  const { before, hosts, after } = partsOf(text)
  const found = hosts.map((host) => serverOf(before, host, after, hosts.length > 1))
  const servers = found.map(({ server }) => server)
  const given = found[0]?.target
  if (given !== undefined && !targets.includes(given)) {
    throw new DatabaseUrlError(`must have a ${targetName} of read-write, primary or any`)
  }
  const fallback: TargetSession = servers.length > 1 ? 'read-write' : 'any'
  return { servers, target: (given as TargetSession | undefined) ?? fallback }
}

/** The URL up to the hosts, the hosts with their ports, and the rest. */
function partsOf(text: string): { before: string; hosts: string[]; after: string } {
  const scheme = /^postgres(?:ql)?:\/\//i.exec(text)?.[0]
  if (scheme === undefined) throw new DatabaseUrlError('must be a postgres:// URL')
  const rest = text.slice(scheme.length)
  const authorityEnd = rest.search(/[/?#]/)
  const authority = authorityEnd === -1 ? rest : rest.slice(0, authorityEnd)
  const hostsStart = authority.lastIndexOf('@') + 1
  const hosts = authority.slice(hostsStart).split(',')
  return { before: scheme + authority.slice(0, hostsStart), hosts, after: rest.slice(authority.length) }
}

function serverOf(before: string, hostAndPort: string, after: string, isOneOfSeveral: boolean) {
  const url = URL.parse(before + hostAndPort + after)
  if (url === null) throw new DatabaseUrlError('must be a postgres:// URL')
  if (isOneOfSeveral && url.hostname === '') throw new DatabaseUrlError('must name each of its servers')
  // A host with percent signs is the path of a Unix socket.
  if (url.hostname.includes('%')) throw new DatabaseUrlError('must name servers by host name or IP address')
  if (url.port === '0') throw new DatabaseUrlError('must have ports from 1 to 65535')
  // The last one counts, as it does for libpq.
  const target = url.searchParams.getAll(targetName).at(-1)
  if (target !== undefined) url.searchParams.delete(targetName)
  url.hostname = url.hostname.toLowerCase()
  // Changes nothing in a URL without a host, which cannot have a port.
  url.port ||= String(defaultPort)
  const host = url.hostname === '' ? undefined : url.hostname.replace(/^\[(.*)\]$/, '$1')
  return { server: { url: url.href, host, port: Number(url.port || defaultPort) }, target }
}
