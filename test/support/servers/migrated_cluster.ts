import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { placeFor } from '../../../src/embedded_postgres/place.ts'
import { startPostgres } from '../../../src/embedded_postgres/start.ts'
import { migrate } from '../../../src/migrate/migrate.ts'

/** The database of a migrated cluster. */
export const database = 'supply'

/**
 * Fills a data folder that is new with a server's data: a migrated database `supply`. It is a copy where it can be, since
 * a new cluster and its migrations take seconds.
 */
export async function fillWithMigrations(dataDir: string): Promise<void> {
  const template = inject('migratedCluster')
  await (template === '' ? makeMigratedCluster(dataDir) : copyCluster(template, dataDir))
}

/** Makes such data from nothing. */
export async function makeMigratedCluster(dataDir: string): Promise<void> {
  const server = await startPostgres({ dataDir, durable: false, database })
  await migrate({ databaseUrl: server.url }).finally(server.stop)
}

/** Copies the data of a server that is stopped. */
export async function copyCluster(from: string, to: string): Promise<void> {
  const [{ cluster: source }, { cluster: copy }] = await Promise.all([placeFor(from), placeFor(to)])
  execFileSync('cp', ['-a', source, copy])
  // Else the copy would be taken for one that somebody made by mistake.
  rmSync(join(copy, 'home_folder'), { force: true })
}
