import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { isAlive, newFolder, serverPid, stopAndRemove, withSql } from '../../embedded_postgres/support.ts'
import { copyCluster, database } from './migrated_cluster.ts'
import { clientOf, followPrimary } from './replication.ts'

/** A PostgreSQL with an empty database `supply`, and a standby that follows it asynchronously. */
export type PostgresWithStandby = {
  primary: EmbeddedPostgres
  standbyUrl: string
  /** A superuser's client of the primary. */
  sql: postgres.Sql
  /** The standby gets no further from now on, whatever it receives. */
  pauseReplay(): Promise<void>
  resumeReplay(): Promise<void>
  /** The standby dies at once. */
  killStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

/** Starts both from one folder and its copy, made while nothing ran on it. */
export async function startPostgresWithStandby(): Promise<PostgresWithStandby> {
  const folders = { primary: newFolder(), standby: newFolder() }
  const options = { durable: false, database }
  const startPrimary = () => startPostgres({ dataDir: folders.primary, ...options })
  await (await startPrimary()).stop()
  await copyCluster(folders.primary, folders.standby)
  const primary = await startPrimary()
  followPrimary(folders.standby, primary.url)
  let standby = await startPostgres({ dataDir: folders.standby, ...options })
  // It keeps its port, for it has to be found again after its end.
  const port = Number(new URL(standby.url).port)
  const sql = clientOf(primary)

  const onStandby = (statement: string) => withSql(standby, (client) => client.unsafe(statement))

  return {
    primary,
    standbyUrl: standby.url,
    sql,
    pauseReplay: async () => {
      await onStandby('select pg_wal_replay_pause()')
      const isPaused = `select where pg_get_wal_replay_pause_state() = 'paused'`
      while ((await onStandby(isPaused)).length === 0) await sleep(10)
    },
    resumeReplay: async () => void (await onStandby('select pg_wal_replay_resume()')),
    killStandby: async () => {
      const pid = serverPid(standby)
      process.kill(pid, 'SIGQUIT')
      while (isAlive(pid)) await sleep(10)
    },
    startStandby: async () => {
      standby = await startPostgres({ dataDir: folders.standby, ...options, port })
    },
    close: async () => {
      await sql.end({ timeout: 1 })
      await stopAndRemove(standby, folders.standby)
      await stopAndRemove(primary, folders.primary)
    },
  }
}
