import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { give, type Place } from './place.ts'

const passwordFile = 'superuser_password'

/**
 * Makes the data directory, unless there is one: UTF-8 with the same collation on every machine, a superuser
 * `postgres` with a random password. It appears whole or not at all, however this process ends.
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
    // Another process made it at the same moment.
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

/** The superuser's password. Throws one clear line if the data is another user's. */
export function readPassword(place: Place): string {
  try {
    return readFileSync(join(place.cluster, passwordFile), 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot read the database's password in ${place.cluster}: is the data another user's?`, {
      cause: error,
    })
  }
}

/** Writes a line into a new file that only its owner reads, in place of an older one. */
export function writeSecretFile(path: string, secret: string): void {
  rmSync(path, { force: true })
  writeFileSync(path, `${secret}\n`, { mode: 0o600 })
}
