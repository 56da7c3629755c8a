import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectionUrl } from '../../src/postgres/connection.ts'
import { give, placeFor } from '../../src/postgres/place.ts'
import { launch } from '../../src/postgres/server.ts'

/** The folder of the newest PostgreSQL of Debian or Ubuntu that has this extension; undefined if there is none. */
export function debianPostgresWith(extension: string): string | undefined {
  return globSync('/usr/lib/postgresql/*')
    .filter((dir) => existsSync(join(dir, 'lib', `${extension}.so`)) && existsSync(join(dir, 'bin/initdb')))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .at(-1)
}

/** Starts a server of its own from such a folder, with new data, for one test file; `stop` removes the data. */
export async function startDebianPostgres(dir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const place = await placeFor(join(tmpdir(), `supply-ordering-debian-${randomUUID()}`))
  const password = randomBytes(24).toString('hex')
  const passwordFile = join(place.dataDir, 'password')
  const programs = { initdb: join(dir, 'bin/initdb'), postgres: join(dir, 'bin/postgres') }
  mkdirSync(place.cluster, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  for (const path of [place.cluster, passwordFile]) give(path, place)
  const made = spawnSync(
    programs.initdb,
    [
      ...['--pgdata', place.cluster, '--username', 'postgres', '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
    { ...place.runAs, cwd: '/', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' }, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const server = await launch(place, programs, { durable: false })
  return {
    url: connectionUrl(password, server.port, 'postgres'),
    stop: async () => {
      await server.stop?.()
      rmSync(place.dataDir, { recursive: true, force: true })
    },
  }
}
