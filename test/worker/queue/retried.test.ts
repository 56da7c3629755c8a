import type { JobHelpers } from 'graphile-worker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../../src/commands/connections.ts'
import type { Database } from '../../../src/database/client.ts'
import { retried } from '../../../src/worker/queue/retried.ts'
import { itemTests } from '../../support/item_tests.ts'

const { database, sql, newItem, loseJobs } = itemTests()
let db: Database
beforeAll(() => {
  db = connectWorker(database.url)
})
afterAll(() => db.end())

const run = (id: string, task: () => Promise<void>) => retried(db, 'call_supplier', task)({ id }, {} as JobHelpers)

test('a task that meets a lock of another transaction is tried again within a second, and has not failed', async () => {
  const item = await newItem()
  await loseJobs(item)
  await run(item, async () => {
    await sql()`do $$ begin raise exception 'lock' using errcode = 'lock_not_available'; end $$`
  })
  const jobs = await sql()`
    select task, attempts, run_at <= now() + interval '1 s' as is_soon from core.jobs where subject = ${item}`
  expect([...jobs]).toEqual([{ task: 'call_supplier', attempts: 0, is_soon: true }])
})

test('a task of the crontab that meets a lock has not failed: its next job comes by itself', async () => {
  const meet = async () => {
    await sql()`do $$ begin raise exception 'lock' using errcode = 'lock_not_available'; end $$`
  }
  const payload = { _cron: { ts: '2026-01-01T00:00:00.000Z' } }
  await retried(db, 'run_audit', meet)(payload, {} as JobHelpers)
  expect(await sql()`select from core.jobs where task = 'run_audit'`).toHaveLength(0)
})

test('a task that meets another error fails', async () => {
  const item = await newItem()
  await loseJobs(item)
  const failing = run(item, async () => {
    await sql()`select 1 / 0`
  })
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(await sql()`select from core.jobs where subject = ${item}`).toHaveLength(0)
})
