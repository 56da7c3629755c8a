import { execFileSync } from 'node:child_process'
import { appendFileSync, chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { newFolder, serverPid, signal, stopAndRemove, withSql } from '../../embedded_postgres/support.ts'
import { database, fillWithMigrations } from './migrated_cluster.ts'

/** A primary and its standby, each a PostgreSQL of its own with its data in a folder of its own. */
export type ReplicatedPostgres = {
  primary: EmbeddedPostgres
  standby: EmbeddedPostgres
  /** Kills the primary with all its processes, as a power cut does. */
  killPrimary(): void
  /** Makes the standby a primary, and waits until it takes writes. */
  promote(): Promise<void>
  /** Makes the killed primary the standby of the promoted one, under its previous port. The two have changed their parts then. */
  rejoin(): Promise<void>
  /** The standby receives nothing more from the primary, which does not notice. */
  holdBack(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts both, with a migrated database. Where the standby is synchronous, each commit of the primary waits until it is
 * on the standby's disk.
 */
export async function startReplicatedPostgres({ isSynchronous = true } = {}): Promise<ReplicatedPostgres> {
  const folders = [newFolder(), newFolder()] as const
  await Promise.all(folders.map(fillWithMigrations))
  let primary = await startPostgres({ dataDir: folders[0], durable: true, database })
  followPrimary(folders[1], primary.url)
  let standby = await startPostgres({ dataDir: folders[1], durable: true, database })
  await withSql(primary, (sql) => waitForStandby(sql, isSynchronous))
  return {
    get primary() {
      return primary
    },
    get standby() {
      return standby
    },
    killPrimary: () => {
      const pid = serverPid(primary)
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
      for (const each of [pid, ...children.map(Number)]) signal(each, 'SIGKILL')
    },
    promote: () => withSql(standby, async (sql) => void (await sql`select pg_promote(true, 30)`)),
    rejoin: async () => {
      const { dataDir, url } = primary
      rmSync(join(dataDir, 'postgres'), { recursive: true, force: true })
      await withSql(standby, async (sql) => {
        await copyRunningCluster(sql, join(standby.dataDir, 'postgres'), join(dataDir, 'postgres'))
        followPrimary(dataDir, standby.url)
        primary = await startPostgres({ dataDir, durable: true, database, port: Number(new URL(url).port) })
        ;[primary, standby] = [standby, primary]
        await waitForStandby(sql, isSynchronous)
      })
    },
    holdBack: () =>
      withSql(primary, async (sql) => {
        for (const { pid } of await sql`select pid from pg_stat_replication`) process.kill(pid, 'SIGSTOP')
      }),
    stop: async () => {
      await stopAndRemove(standby, standby.dataDir)
      await stopAndRemove(primary, primary.dataDir)
    },
  }
}

/** Has the standby be synchronous or not, and waits until it has all that the primary has. */
async function waitForStandby(sql: postgres.Sql, isSynchronous: boolean): Promise<void> {
  await sql`alter system set synchronous_standby_names = ${sql.unsafe(isSynchronous ? `'*'` : `''`)}`
  await sql`select pg_reload_conf()`
  const inStep = () => sql`
    select from pg_stat_replication
    where state = 'streaming' and sync_state = ${isSynchronous ? 'sync' : 'async'} and replay_lsn = pg_current_wal_lsn()`
  while ((await inStep()).length === 0) await sleep(20)
}

/** Copies the files of a running server, as `pg_basebackup` does, without its log. */
export async function copyRunningCluster(sql: postgres.Sql, from: string, to: string): Promise<void> {
  const session = await sql.reserve()
  await session`select pg_backup_start('copy', fast => true)`
  execFileSync('cp', ['-a', from, to])
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to, name), { force: true })
  execFileSync('sh', ['-c', `rm -rf "${to}"/pg_wal/*`])
  const [stopped] = await session`select labelfile from pg_backup_stop(wait_for_archive => false)`
  session.release()
  const label = join(to, 'backup_label')
  writeFileSync(label, stopped?.labelfile)
  const { uid, gid } = statSync(to)
  chownSync(label, uid, gid)
}

/** Has the server of a data folder be a standby of a primary from its next start on. */
export function followPrimary(dataDir: string, primaryUrl: string): void {
  const { port, password } = new URL(primaryUrl)
  const cluster = join(dataDir, 'postgres')
  writeFileSync(join(cluster, 'standby.signal'), '')
  const upstream = `host=127.0.0.1 port=${port} user=postgres password=${password} application_name=standby`
  appendFileSync(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${upstream}'\n`)
}

/** A URL of two servers, of which one is wanted that takes writes. */
export function together(first: string, second: string): string {
  const url = new URL(first)
  const hosts = `${url.host},${new URL(second).host}`
  return `${first.replace(url.host, hosts)}?target_session_attrs=read-write`
}

/** A client of a server that is at work, for a test's own SQL. */
export function clientOf(server: EmbeddedPostgres): postgres.Sql {
  return postgres(server.url, { max: 4, onnotice: () => {} })
}
