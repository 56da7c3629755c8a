import { expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { audit } from '../support/orders.ts'
import { databaseBefore } from './old_database.ts'

const migration = '0014_delivery_slots'
const database = databaseBefore(migration)
const sql = () => database().sql

type Old = { state: 'waiting' | 'sending'; due: string; runAt: string; priority?: number; locked?: boolean }

/** An event as the release before left it, with its job; gives its id. */
async function oldEvent(account: number, { state, due, runAt, priority = 0, locked = false }: Old) {
  const waits = state === 'waiting'
  const [event] = await sql()`
    insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, state, attempts,
      next_attempt_at, claim_id, claim_expires_at)
    select ${account}, 'x', 'order.completed', 'https://x.example', '{}', true, ${state}, ${waits ? 0 : 1},
      case when ${waits} then now() + ${due}::interval end, gen_random_uuid(),
      case when ${!waits} then now() + ${due}::interval end
    returning id, claim_id`
  if (!waits) {
    await sql()`insert into supply.delivery_attempts (event_id, ladder, attempt, claim_id)
      values (${event?.id}, 1, 1, ${event?.claim_id})`
  }
  await sql()`select graphile_worker.add_job('deliver_waiting', json_build_object('id', ${event?.id}::text),
    run_at => now() + ${runAt}::interval, job_key => ${`deliver_webhook:${event?.id}`}, priority => ${priority}, max_attempts => 1000)`
  if (locked) {
    await sql()`update graphile_worker._private_jobs set locked_by = 'pool-old', locked_at = now(), attempts = 1
      where key = ${`deliver_webhook:${event?.id}`}`
  }
  return event?.id as string
}

test('events that waited for their turn by a job of tomorrow are queued without one, and everything else goes on where it was', async () => {
  await sql()`insert into supply.accounts (name, kind, mode, currency) values ('A', 'supply', 'test', 'RUB')`
  const [{ id: account } = { id: 0 }] = await sql()`select id::int from supply.accounts`
  const surplus: string[] = []
  for (let n = 0; n < 9; n += 1) {
    surplus.push(
      await oldEvent(account, { state: 'waiting', due: '-10 minutes', runAt: '1 day', priority: 1 }),
    )
  }
  const called = await oldEvent(account, { state: 'waiting', due: '-1 minute', runAt: '0 s' })
  const fetched = await oldEvent(account, { state: 'waiting', due: '-1 s', runAt: '0 s', locked: true })
  const rung = await oldEvent(account, { state: 'waiting', due: '1 hour', runAt: '1 hour' })
  const sending = await oldEvent(account, { state: 'sending', due: '20 s', runAt: '0 s', locked: true })

  const { applied } = await migrate({ databaseUrl: database().url })
  expect(applied).toContain(migration)
  const state = async (...ids: string[]) => {
    const rows = await sql()`
      select distinct e.state, (select count(*)::int from graphile_worker.jobs j where j.key = 'deliver_webhook:' || e.id) as jobs
      from supply.events e where e.id = any(${ids})`
    return rows.map((row) => `${row.state} ${row.jobs}`).join()
  }
  expect(await state(...surplus, called)).toBe('queued 0')
  expect(await state(fetched)).toBe('queued 1')
  expect(await state(rung)).toBe('waiting 1')
  expect(await state(sending)).toBe('sending 1')

  await sql()`select work.fill_slots()`
  expect(await state(...surplus.slice(0, 7))).toBe('ready 1')
  expect(await state(...surplus.slice(7), called)).toBe('queued 0')
  expect(await sql()`select * from work.begin_deliveries(${[fetched]})`).toEqual([])
  await sql()`delete from graphile_worker._private_jobs where locked_by = 'pool-old'`
  expect(await audit(sql())).toEqual([])
})
