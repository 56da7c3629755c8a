import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { newFolder, serverPid, stopAndRemove, withSql } from '../../embedded_postgres/support.ts'

const database = 'supply'

/** A primary and its synchronous standby, each a PostgreSQL of its own with its data in a folder of its own. */
export type ReplicatedPostgres = {
  primary: EmbeddedPostgres
  standby: EmbeddedPostgres
  /** Kills the primary with all its processes, as a power cut does. */
  killPrimary(): void
  /** Makes the standby a primary, and waits until it takes writes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** Starts both; a commit of the primary waits from then on until it is on the standby's disk. */
export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const folders = [newFolder(), newFolder()] as const
  const primary = await startCopied(folders[0], folders[1], true)
  followPrimary(folders[1], primary.url)
  const standby = await startPostgres({ dataDir: folders[1], durable: true, database })
  await withSql(primary, async (sql) => {
    await sql`alter system set synchronous_standby_names = '*'`
    await sql`select pg_reload_conf()`
    const inStep = () =>
      sql`select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'`
    while ((await inStep()).length === 0) await sleep(20)
  })
  return {
    primary,
    standby,
    killPrimary: () => {
      const pid = serverPid(primary)
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
      for (const each of [pid, ...children.map(Number)]) kill(each)
    },
    promote: () => withSql(standby, async (sql) => void (await sql`select pg_promote(true, 30)`)),
    stop: async () => {
      await stopAndRemove(standby, folders[1])
      await stopAndRemove(primary, folders[0])
    },
  }
}

/** Starts a server whose data has a copy in another folder, made while it stood still. */
export async function startCopied(
  dataDir: string,
  copyDir: string,
  durable: boolean,
): Promise<EmbeddedPostgres> {
  const options = { dataDir, durable, database }
  const first = await startPostgres(options)
  await first.stop()
  execFileSync('cp', ['-a', first.dataDir, copyDir])
  return startPostgres(options)
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

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has gone by itself since.
  }
}

/** A client of a server that is at work, for a test's own SQL. */
export function clientOf(server: EmbeddedPostgres): postgres.Sql {
  return postgres(server.url, { max: 4, onnotice: () => {} })
}
