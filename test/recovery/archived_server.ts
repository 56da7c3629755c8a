import { spawnSync } from 'node:child_process'
import { appendFileSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { expect } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { database, fillWithMigrations } from '../support/servers/migrated_cluster.ts'
import { copyRunningCluster } from '../support/servers/replication.ts'

export type ArchivedServer = {
  url: string
  sql: postgres.Sql
  /** Takes a base back-up, as `pg_basebackup` would, while the server runs. */
  backUp(): Promise<void>
  /** Stops the server once its whole log is archived. */
  stop(): Promise<void>
  /** Starts a server on the back-up, recovered to a time. It ends by `remove`. */
  restore(time: string): Promise<{ url: string; sql: postgres.Sql }>
  /** Stops all that runs, and removes all files. */
  remove(): Promise<void>
}

/** An embedded server with a migrated database that archives its log, with what it takes to restore it elsewhere. */
export async function startArchivedServer(): Promise<ArchivedServer> {
  const dir = mkdtempSync(join(tmpdir(), 'supply-ordering-recovery-'))
  spawnSync('chmod', ['755', dir])
  const archive = join(dir, 'archive')
  const backup = join(dir, 'restored/postgres')
  const running: { server: EmbeddedPostgres; sql: postgres.Sql }[] = []
  const start = async (name: string) => {
    const server = await startPostgres({ dataDir: join(dir, name), durable: false, database })
    const started = { server, sql: postgres(server.url, { max: 5, onnotice: () => {} }) }
    running.push(started)
    return started
  }
  const end = async ({ server, sql }: { server: EmbeddedPostgres; sql: postgres.Sql }) => {
    await sql.end({ timeout: 1 })
    await server.stop()
  }

  await fillWithMigrations(join(dir, 'original'))
  const first = await start('original')
  const cluster = join(first.server.dataDir, 'postgres')
  const { uid, gid } = statSync(cluster)
  mkdirSync(archive)
  chownSync(archive, uid, gid)
  mkdirSync(join(dir, 'restored'))
  const settings = `archive_mode = on\narchive_command = 'cp %p ${archive}/%f'\n`
  appendFileSync(join(cluster, 'postgresql.auto.conf'), settings)
  await end(first)
  const { sql, server } = await start('original')

  return {
    url: server.url,
    sql,
    backUp: () => copyRunningCluster(sql, cluster, backup),
    stop: async () => {
      const [last] = await sql`select pg_walfile_name(pg_switch_wal()) as file`
      const archived = async () => {
        const [row] =
          await sql`select coalesce(last_archived_wal >= ${last?.file}, false) as done from pg_stat_archiver`
        return row?.done
      }
      await expect.poll(archived).toBe(true)
      await end({ server, sql })
    },
    restore: async (time) => {
      const target = [
        'archive_mode = off',
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_time = '${time}'`,
        `recovery_target_action = 'promote'`,
      ]
      appendFileSync(join(backup, 'postgresql.auto.conf'), `${target.join('\n')}\n`)
      // The original never runs again.
      rmSync(join(backup, 'home_folder'), { force: true })
      writeFileSync(join(backup, 'recovery.signal'), '')
      chownSync(join(backup, 'recovery.signal'), uid, gid)
      const restored = await start('restored')
      return { url: restored.server.url, sql: restored.sql }
    },
    remove: async () => {
      for (const each of running) await end(each).catch(() => {})
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
