import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeEvent } from '../../support/events.ts'
import { answer, completed, unknown } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// The queue never takes a job again that it has taken as often as it may.
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

/** Has the jobs of a subject be at their last attempt, in nobody's hands. */
const useUp = (subject: string) =>
  sql()`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'id' = ${subject}`

/** Adds a job to what a subject has: one whose place a later one has taken, and which its worker gave back. */
const addSuperseded = (subject: string) =>
  sql()`with added as (
      select id from graphile_worker.add_job('call_supplier'::text, json_build_object('id', ${subject}::text)))
    select graphile_worker.reschedule_jobs(array(select id from added), attempts => 25) from added`

const jobsOf = async (subject: string) => [
  ...(await sql()`
    select id, is_available, run_at <= now() + interval '5 minutes' as is_soon
    from graphile_worker._private_jobs where payload ->> 'id' = ${subject}`),
]

async function sweep(): Promise<number> {
  const [row] = await sql()`select work.sweep() as freed`
  return row?.freed
}

describe('a job at its last attempt that nobody holds', () => {
  test('is replaced, whether it was the first of its item or a later one', async () => {
    const first = await newItem()
    const later = await newItem()
    await answer(sql(), later, unknown())
    const event = await makeEvent(sql(), partner)
    for (const subject of [first, later, event]) {
      await useUp(subject)
      expect(await sweep()).toBe(1)
      expect(await jobsOf(subject)).toMatchObject([{ is_available: true, is_soon: true }])
    }
    expect(await sweep()).toBe(0)
    expect(await audit(sql())).toEqual([])
  })

  test('goes away where a later one has taken its place, which stays as it is', async () => {
    const item = await newItem()
    await answer(sql(), item, unknown())
    const before = await jobsOf(item)
    await addSuperseded(item)
    expect(await sweep()).toBe(1)
    expect(await jobsOf(item)).toEqual(before)
    expect(await audit(sql())).toEqual([])
  })

  test('goes away where nothing is left to do', async () => {
    const item = await newItem()
    await answer(sql(), item, completed())
    await addSuperseded(item)
    expect(await sweep()).toBe(1)
    expect(await jobsOf(item)).toEqual([])
    expect(await audit(sql())).toEqual([])
  })

  test('is tried again where it is to alert operators', async () => {
    await sql()`select core.raise_alerts(array[row('a_cause', 'a message')::supply.occurrence])`
    const [alert] = await sql()`select id from supply.alerts where cause = 'a_cause'`
    await useUp(alert?.id)
    expect(await sweep()).toBe(1)
    expect(await jobsOf(alert?.id)).toMatchObject([{ is_available: true, is_soon: true }])
    expect(await audit(sql())).toEqual([])
  })
})
