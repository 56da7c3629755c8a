import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { give, type Place } from './place.ts'

const passwordFile = 'superuser_password'
// The folder in which the data was last used.
const homeFile = 'home_folder'
// Of the server in the npm package.
const majorVersion = '18'

/**
 * Throws one clear line if the folder has data of another version of PostgreSQL, or a copy of data that is still in
 * use elsewhere: two services would call the suppliers for the same orders. Else it records the folder.
 */
export function refuseForeignData({ cluster, wanted }: Place): void {
  const versionFile = join(cluster, 'PG_VERSION')
  if (!existsSync(versionFile)) return
  const version = readFileSync(versionFile, 'utf8').trim()
  if (version !== majorVersion) {
    throw new Error(
      `${wanted} has data of PostgreSQL ${version}, and this release runs ${majorVersion}: move the folder away to ` +
        `begin with an empty database, or dump it with PostgreSQL ${version} and restore it (docs/operations/backup.md)`,
    )
  }
  const [home, file] = [realpathSync(cluster), join(cluster, homeFile)]
  const recorded = existsSync(file) ? readFileSync(file, 'utf8').trim() : home
  // A standby is a copy by nature, and serves no orders.
  const isStandby = existsSync(join(cluster, 'standby.signal'))
  if (recorded !== home && !isStandby && existsSync(join(recorded, 'PG_VERSION'))) {
    throw new Error(
      `${wanted} is a copy of ${recorded}, and both services would call the suppliers for the same orders: remove one ` +
        `of the two, or delete ${file} if the other one will never run again`,
    )
  }
  if (recorded !== home || !existsSync(file)) writeFileSync(file, `${home}\n`)
}

/**
 * Makes the data directory, unless there is one: UTF-8 with the same collation on every machine, and a superuser
 * `postgres` with a random password. The directory appears complete or not at all, even if this process is killed.
 */
export async function initialise(place: Place, { initdb }: Binaries, durable: boolean): Promise<void> {
  if (existsSync(join(place.cluster, 'PG_VERSION'))) return
  const fresh = `${place.cluster}.${randomUUID()}`
  const password = `${fresh}.password`
  mkdirSync(fresh, { mode: 0o700 })
  give(fresh, place)
  try {
    writeSecretFile(password, randomBytes(24).toString('hex'))
    give(password, place)
    await runInitdb(place, initdb, [
      ...['--pgdata', fresh, '--username', 'postgres', '--pwfile', password, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      ...(durable ? [] : ['--no-sync']),
    ])
    renameSync(password, join(fresh, passwordFile))
    renameSync(fresh, place.cluster)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(password, { force: true })
    // Another process may have made it at the same moment.
    if (!existsSync(join(place.cluster, 'PG_VERSION'))) throw error
  }
}

async function runInitdb(place: Place, initdb: string, args: string[]): Promise<void> {
  const child = spawn(initdb, args, {
    ...place.runAs,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close')
  if (code === 0) return
  const lines = output.split('\n').map((line) => line.trim())
  throw new Error(`initdb failed: ${lines.filter((line) => line !== '').join('; ')}`)
}

/** The superuser's password. Throws one clear line if the data belongs to another user. */
export function readPassword(place: Place): string {
  try {
    return readFileSync(join(place.cluster, passwordFile), 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot read the database's password in ${place.cluster}: is the data another user's?`, {
      cause: error,
    })
  }
}

/** Writes a line to a new file that only its owner can read. It replaces an older file. */
export function writeSecretFile(path: string, secret: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
}
