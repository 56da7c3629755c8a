import { ConfigError } from '../config.ts'
import { parseDatabaseUrl } from '../database/connections/database_url.ts'
import { isNoSuchDatabase } from '../database/errors.ts'
import { errorCode } from '../network/error_code.ts'

type Environment = { [name: string]: string | undefined }

/**
 * Why a command could not go on, in one line: the setting at fault, where one is known, and what to do. It shows no
 * password. What is no trouble with an address or a database is reported in the error's own words.
 */
export function describeFailure(error: unknown, command: string, env: Environment = process.env): string {
  if (error instanceof ConfigError) return error.message
  const first = firstOf(error)
  const text = first instanceof Error ? first.message : String(first)
  const known = listenFailure(first, command, env) ?? databaseFailure(first, env)
  return (known ?? `cannot ${command}: ${text}`).replaceAll(/\s+/g, ' ')
}

function firstOf(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? firstOf(error.errors[0]) : error
}

function fieldOf(error: unknown, name: 'syscall' | 'address' | 'port' | 'hostname'): string | undefined {
  if (!(error instanceof Error) || !(name in error)) return undefined
  const value = Reflect.get(error, name)
  return value === undefined ? undefined : String(value)
}

/** A port or address that cannot be had. */
function listenFailure(error: unknown, command: string, env: Environment): string | undefined {
  const code = errorCode(error)
  const host = fieldOf(error, 'hostname')
  if (code === 'ENOTFOUND' && host !== undefined && host === env.HOST) return `HOST: there is no address for ${host}`
  if (fieldOf(error, 'syscall') !== 'listen') return undefined
  const [address, port] = [fieldOf(error, 'address'), fieldOf(error, 'port')]
  if (code === 'EADDRNOTAVAIL') return `HOST: this machine has no address ${address}`
  const others = ['METRICS_PORT', 'WORKER_METRICS_PORT'].filter((name) => env[name] === port)
  const name = port === (env.PORT || (command === 'supplier' ? '4000' : '3000')) ? 'PORT' : others[0]
  if (name === undefined) return undefined
  if (code === 'EADDRINUSE')
    return `${name}: port ${port} of ${address} is taken by another program; end that, or set ${name} to a free one`
  if (code === 'EACCES') return `${name}: this user may not listen on port ${port}; set ${name} to one above 1023`
  return undefined
}

const unreachable: { [code: string]: string } = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it breaks the connection off',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
  ETIMEDOUT: 'it does not answer',
  CONNECT_TIMEOUT: 'it does not answer',
  DEADLINE: 'it does not answer',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
}

// Wrong password, no such login or not from here, starting or stopping, too many connections.
const refused = /^(28...|57P0.|53300)$/

function databaseFailure(error: unknown, env: Environment): string | undefined {
  const name = env.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL'
  const url = env[name]
  const code = errorCode(error)
  if (!url || code === undefined || !(error instanceof Error)) return undefined
  const place = () => parseDatabaseUrl(url).servers.map((server) => `${server.host ?? ''}:${server.port}`)
  if (code === 'UNREACHABLE') return `${name}: ${error.message}`
  if (isNoSuchDatabase(error)) return `${name}: the database ${databaseOf(url)} does not exist on ${place().join(', ')}`
  if (Object.hasOwn(unreachable, code))
    return `${name}: the database at ${place().join(', ')} cannot be reached: ${unreachable[code]}`
  return refused.test(code) ? `${name}: the database at ${place().join(', ')} says: ${error.message}` : undefined
}

/** The name of the database that a URL leads to: without one, the login's name counts. */
function databaseOf(url: string): string {
  const { pathname, username } = new URL(parseDatabaseUrl(url).servers[0]?.url ?? '')
  return decodeURIComponent(pathname.slice(1) || username)
}
