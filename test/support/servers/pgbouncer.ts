import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { give, type Place, placeFor } from '../../../src/embedded_postgres/place.ts'
import { freePort } from './free_port.ts'

const program = '/usr/sbin/pgbouncer'

/** Whether Debian's PgBouncer is installed. */
export const hasPgBouncer = existsSync(program)

/** The names and passwords that it takes from clients, and logs in with. */
export type Logins = { [login: string]: string }

export type PgBouncer = {
  /** The URL of a login through it, with the database of the server's URL. */
  url(login: string): string
  /** Has it end, as a crash would. */
  kill(): Promise<void>
  /** Starts it again, on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a PgBouncer in transaction mode before a server of this machine: few connections to the server, taken in turn,
 * so that a client's next statement is mostly run by another one. `settings` are lines of its own for pgbouncer.ini.
 */
export async function startPgBouncer(serverUrl: string, logins: Logins, settings: string[] = []): Promise<PgBouncer> {
  const place = await placeFor(join(tmpdir(), `supply-ordering-pgbouncer-${randomUUID()}`))
  const port = await freePort()
  const ini = writeSettings(place, { port, server: new URL(serverUrl), logins, settings })
  let child: ChildProcess | undefined

  async function start(): Promise<void> {
    child = spawn(program, [ini], { ...place.runAs, cwd: '/', stdio: 'ignore' })
    const ended = once(child, 'exit')
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended at once: ${await ended}`)
      await sleep(10)
    }
  }

  async function kill(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  await start()
  return {
    url: (login) => {
      const url = new URL(serverUrl)
      url.host = `127.0.0.1:${port}`
      url.username = login
      url.password = logins[login] ?? ''
      return url.href
    },
    kill,
    start,
    close: async () => {
      await kill()
      rmSync(place.dataDir, { recursive: true, force: true })
    },
  }
}

function writeSettings(
  place: Place,
  options: { port: number; server: URL; logins: Logins; settings: string[] },
): string {
  const { port, server, logins, settings } = options
  const ini = join(place.dataDir, 'pgbouncer.ini')
  const users = join(place.dataDir, 'users.txt')
  const lines = [
    ...['[databases]', `* = host=127.0.0.1 port=${server.port}`],
    ...['[pgbouncer]', 'pool_mode = transaction', 'listen_addr = 127.0.0.1', `listen_port = ${port}`],
    ...['unix_socket_dir =', 'auth_type = scram-sha-256', `auth_file = ${users}`],
    ...['default_pool_size = 6', 'server_round_robin = 1', 'server_login_retry = 1', ...settings],
  ]
  writeFileSync(ini, `${lines.join('\n')}\n`, { mode: 0o600 })
  const entries = Object.entries(logins).map(([login, password]) => `"${login}" "${password}"\n`)
  writeFileSync(users, entries.join(''), { mode: 0o600 })
  for (const path of [ini, users]) give(path, place)
  return ini
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
