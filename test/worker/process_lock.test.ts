import { afterEach, expect, test } from 'vitest'
import { hostsOf } from '../../src/database/connections/hosts.ts'
import { type ProcessLock, takeProcessLock } from '../../src/worker/process_lock.ts'
import { testDatabase } from '../support/database.ts'
import { startTcpProxy } from '../support/servers/tcp_proxy.ts'
import { startTestWorker } from '../support/whole_service.ts'

const database = testDatabase()
let lock: ProcessLock | undefined

afterEach(async () => {
  await lock?.release()
})

async function isHeld({ id }: ProcessLock): Promise<boolean> {
  const [row] = await database.sql`select core.lock_is_held(${id}) as held`
  return row?.held
}

test('a lock that is lost is reported, and held again until it is released', async () => {
  lock = await takeProcessLock(database.url)
  expect(await isHeld(lock)).toBe(true)
  await database.sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'supply-ordering worker lock'`
  expect(await lock.lost).toMatch(/terminat/)
  await expect.poll(() => lock && isHeld(lock), { timeout: 15_000 }).toBe(true)
  await lock.release()
  await expect.poll(() => lock && isHeld(lock), { timeout: 15_000 }).toBe(false)
})

test('a worker that lost its lock leaves its pools to the sweeper, as it may have jobs that it cannot give back', async () => {
  const { sql } = database
  const worker = await startTestWorker(database.url)
  const pools = () => sql`select from supply.worker_pools`
  expect(await pools()).not.toHaveLength(0)
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and application_name = 'supply-ordering worker lock'`
  expect(await worker.failed).toMatch(/lock/)
  await worker.stop()
  expect(await pools()).not.toHaveLength(0)
  for (let sweep = 0; sweep < 2; sweep += 1) {
    await sql`update supply.worker_pools set checked_at = now() - interval '5 s'`
    await sql`select work.sweep()`
  }
  expect(await pools()).toHaveLength(0)
})

test('a lock is lost when another server takes over from one that went away without a word', async () => {
  const ways = [await startTcpProxy(database.url), await startTcpProxy(database.url)] as const
  const hosts = ways.map(({ port }) => `127.0.0.1:${port}`).join()
  const url = database.url.replace(new URL(database.url).host, hosts)
  lock = await takeProcessLock(url)
  ways[0].set('swallow')
  hostsOf(url).suspect(hostsOf(url).current)
  expect(await lock.lost).toBe('another server has taken over')
  await lock.release()
  for (const way of ways) await way.close()
})
