import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries.ts'
import { give, type Place } from './place.ts'

const passwordFile = 'superuser_password'

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
