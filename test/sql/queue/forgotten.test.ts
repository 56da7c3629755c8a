import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, leaseCalls, processing } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// What nobody would ever look at again, by states that no fault that we know of leaves.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
})

async function newItem(): Promise<string> {
  const { body } = await place(sql(), partner)
  return body.items[0]?.id ?? ''
}

async function askedItem(): Promise<string> {
  const item = await newItem()
  await answer(sql(), item, processing())
  return item
}

const setItem = (id: string, change: string) =>
  sql().unsafe(`update supply.order_items set ${change} where id = '${id}'`)
const setEvent = (id: string, change: string) =>
  sql().unsafe(`update supply.events set ${change} where id = '${id}'`)
const setJob = (subject: string, change: string) =>
  sql().unsafe(`update graphile_worker._private_jobs set ${change} where payload ->> 'id' = '${subject}'`)
const loseJob = (subject: string) =>
  sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = ${subject}`

/** Of each job of a subject, whether a worker may take it now. */
async function jobsOf(subject: string): Promise<boolean[]> {
  const rows = await sql()`
    select is_available and run_at <= now() as due from graphile_worker._private_jobs where payload ->> 'id' = ${subject}`
  return rows.map(({ due }) => due)
}

async function resume(): Promise<number> {
  const [row] = await sql()`select work.resume_forgotten() as resumed`
  return row?.resumed
}

const overdue = "next_check_at = now() - interval '31 s'"
const tomorrow = "run_at = now() + interval '1 day'"

describe('an item gets a job', () => {
  test.each<[string, (item: string) => Promise<unknown>]>([
    ['whose job is lost', (item) => loseJob(item).then(() => setItem(item, overdue))],
    ['whose job is for tomorrow', (item) => setJob(item, tomorrow).then(() => setItem(item, overdue))],
    [
      'that has no plan',
      async (item) => {
        await loseJob(item)
        await setItem(item, 'next_check_at = null')
      },
    ],
    [
      'whose lease ended and whose job is lost',
      async (item) => {
        await leaseCalls(sql(), [item])
        await setItem(item, "lease_expires_at = now() - interval '91 s'")
      },
    ],
  ])('%s', async (_, breach) => {
    const item = await askedItem()
    await breach(item)
    expect(await audit(sql())).not.toEqual([])
    expect(await resume()).toBe(1)
    expect(await jobsOf(item)).toEqual([true])
    expect(await audit(sql())).toEqual([])
    expect(await sql()`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([
      { method: 'get' },
    ])
    expect(await resume()).toBe(0)
  })

  test('and an alert, too, that nobody would send', async () => {
    await sql()`select core.raise_alerts(array[row('a_cause', 'a message')::supply.occurrence])`
    const [alert] =
      await sql()`update supply.alerts set last_at = now() - interval '31 s' where cause = 'a_cause' returning id`
    await loseJob(alert?.id)
    expect(await audit(sql())).not.toEqual([])
    expect(await resume()).toBe(1)
    expect(await jobsOf(alert?.id)).toEqual([true])
    expect(await resume()).toBe(0)
    expect(await audit(sql())).toEqual([])
  })
})

test('an item keeps its job that waits behind others, that a worker has, or that waits after a failure', async () => {
  const [first, later, running, failed] = [
    await newItem(),
    await askedItem(),
    await askedItem(),
    await askedItem(),
  ]
  await setJob(later, 'run_at = now()')
  await setJob(running, "run_at = now(), locked_by = 'pool-1', locked_at = now(), attempts = 1")
  await setJob(failed, "run_at = now() + interval '1 hour', attempts = 9, last_error = 'boom'")
  for (const item of [first, later, running, failed]) await setItem(item, overdue)
  expect(await resume()).toBe(0)
  expect([await jobsOf(running), await jobsOf(failed)]).toEqual([[false], [false]])
  expect([await jobsOf(first), await jobsOf(later)]).toEqual([[true], [true]])
})

test('an item that an operator holds back gets no job', async () => {
  const item = await askedItem()
  await loseJob(item)
  await setItem(item, "held_at = now(), held_reason = 'odd', next_check_at = null")
  expect(await resume()).toBe(0)
  await setItem(item, 'held_at = null, held_reason = null')
  expect(await resume()).toBe(1)
})

describe('an event does not wait for a day', () => {
  const state = async (id: string) => {
    const [event] = await sql()`
      select state, attempts, next_attempt_at - now() < interval '1 minute' as soon from supply.events where id = ${id}`
    return event
  }

  test('that is sending beyond its lease, while its job is for tomorrow', async () => {
    const event = await makeEvent(sql(), partner)
    await leaseAttempt(sql(), event)
    await setEvent(event, "lease_expires_at = now() - interval '51 s'")
    await sql()`select core.enqueue('deliver_waiting', ${[event]}, array[now() + interval '1 day'], 'deliver_webhook')`
    await sql()`select work.fill_slots()`
    // The rung is counted from the end of the lease.
    expect(await state(event)).toEqual({ state: 'waiting', attempts: 1, soon: true })
    const [attempt] = await sql()`select outcome from ops.delivery_attempts where event_id = ${event}`
    expect(attempt).toEqual({ outcome: 'lost' })
    expect(await audit(sql())).toEqual([])
  })

  test('whose rung is due, while its job is for tomorrow', async () => {
    const event = await makeEvent(sql(), partner)
    await leaseAttempt(sql(), event)
    await setEvent(
      event,
      "state = 'waiting', lease_expires_at = null, next_attempt_at = now() - interval '31 s'",
    )
    await sql()`update supply.delivery_attempts set finished_at = now(), outcome = 'retry' where event_id = ${event}`
    await sql()`select core.enqueue('deliver_waiting', ${[event]}, array[now() + interval '1 day'], 'deliver_webhook')`
    expect(await audit(sql())).not.toEqual([])
    await sql()`select work.fill_slots()`
    expect(await state(event)).toMatchObject({ state: 'ready' })
    expect(await jobsOf(event)).toEqual([true])
    expect(await audit(sql())).toEqual([])
  })

  test('that has a slot, while its job is for tomorrow', async () => {
    const event = await makeEvent(sql(), partner)
    await setJob(event, tomorrow)
    await setEvent(event, "lease_expires_at = now() - interval '51 s'")
    expect(await audit(sql())).not.toEqual([])
    await sql()`select work.fill_slots()`
    expect(await state(event)).toMatchObject({ state: 'ready' })
    expect(await jobsOf(event)).toEqual([true])
    expect(await audit(sql())).toEqual([])
  })

  test('that is sending, as long as its worker may still record the result', async () => {
    const event = await makeEvent(sql(), partner)
    await leaseAttempt(sql(), event)
    await setEvent(event, "lease_expires_at = now() - interval '20 s'")
    await sql()`select work.fill_slots()`
    expect(await state(event)).toMatchObject({ state: 'sending', attempts: 1 })
  })
})

test('what fails to be known at the supplier is asked for, and not sent again', async () => {
  const item = await newItem()
  const [call] = await leaseCalls(sql(), [item])
  expect(call?.method).toBe('put')
  await setItem(item, "lease_expires_at = now() - interval '91 s'")
  expect(await resume()).toBe(1)
  expect(await sql()`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'get' }])
})
