import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { completed } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner } from '../support/partner.ts'

// A migration comes before the processes of its release: until then those of the one before go on, with the names and
// arguments that they know. This test and the folders former_names go when no such process can run any more.
const database = testDatabase()
const sql = () => database.sql
beforeAll(() => makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' }))

test('a worker of the release before records what suppliers answer', async () => {
  const partner = await makePartner(sql(), { balance: 100 })
  const { body } = await place(sql(), partner)
  const [call] = await sql()`
    select * from work.begin_calls(item_ids => ${body.items.map(({ id }) => id)}, under_way => '{}', supplier_cap => 1)`
  const results = [{ ordinal: 1, itemId: call?.item_id, claimId: call?.claim_id, result: completed() }]
  expect(
    await sql()`select * from work.record_results(results => ${sql().json(results as never)}, deadline => '24 hours')`,
  ).toEqual([{ ordinal: 1, verdict: 'settled' }])
})

test('an API of the release before records what suppliers push', async () => {
  const partner = await makePartner(sql(), { balance: 100 })
  const { body } = await place(sql(), partner)
  const itemId = body.items[0]?.id ?? ''
  const push = () => sql()`
    select api.record_push(supplier => 'first', item_id => ${itemId}, result => ${sql().json(completed() as never)}, lock_wait_ms => 10) as said`
  expect(await push()).toEqual([{ said: 'unknown_reference' }])
  await sql()`select work.begin_calls(${[itemId]})`
  expect([await push(), await push()]).toEqual([[{ said: 'recorded' }], [{ said: 'recorded' }]])
})

test('a process of the release before beats, sweeps, fills slots and notes keys as it did', async () => {
  await sql()`select work.beat(lock_key => 42, pool_ids => array['pool of before'])`
  expect(await sql()`select pool_id from ops.worker_pools where pool_id = 'pool of before'`).toHaveLength(1)
  expect(await sql()`select work.rescue_jobs() as freed`).toEqual([{ freed: 0 }])
  await sql()`select work.call_lines()`
  const { keyId } = await makePartner(sql())
  await sql()`select api.touch_keys(key_ids => array[${keyId}::bigint])`
  expect(
    await sql()`select last_used_at is not null as used from ops.api_keys where key_id = ${keyId}`,
  ).toEqual([{ used: true }])
})

test('a worker of the release before sends an alert as it did', async () => {
  await sql()`select core.raise_alerts('{a_cause}', '{a message}')`
  const [{ alert_id: id } = {}] = await sql()`select alert_id from ops.alerts where cause = 'a_cause'`
  expect(await sql()`select * from work.begin_alert(alert_id => ${id})`).toEqual([
    { cause: 'a_cause', message: 'a message', count: 1, first_at: expect.any(Date) },
  ])
  await sql()`select work.finish_alert(alert_id => ${id})`
  expect(await sql()`select * from work.begin_alert(alert_id => ${id})`).toEqual([])
  expect(await sql()`select * from work.begin_notification(${id})`).toEqual([])
})
