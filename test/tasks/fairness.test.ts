import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Config } from '../../src/config.ts'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { audit, place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { type ScriptedReceiver, startScriptedReceiver, taken } from '../support/servers/scripted_receiver.ts'
import { startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { startTestWorker } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let deliveries: Deliveries
let receiver: ScriptedReceiver

// No attempt times out because the machine is busy: its next rung comes after a minute.
const patientMs = 60_000

beforeAll(async () => {
  deliveries = await startDeliveries(database, {}, patientMs)
  receiver = deliveries.receiver
})
afterEach(async () => {
  expect(await audit(sql())).toEqual([])
})
afterAll(() => deliveries.close())

async function restartWorker(config: Partial<Config>, timeoutMs: number): Promise<void> {
  await deliveries.worker.stop()
  deliveries.worker = await startTestWorker(database.url, config, { timeoutMs })
}

const orderMany = (partner: Partner, count: number, callbackUrl: string) =>
  Promise.all(Array.from({ length: count }, () => place(sql(), partner, { callbackUrl })))

const delivered = async (partner: Partner) => {
  const [row] = await sql()`
    select count(*)::int as n from ops.events where account_id = ${partner.accountId} and state = 'delivered'`
  return row?.n
}

test("a partner whose receiver is slow gets more deliveries under way, within bounds, and others' go on", async () => {
  const slow = await makePartner(sql(), { balance: 10_000 })
  const quick = await makePartner(sql(), { balance: 10_000 })
  const sluggish = await startScriptedReceiver()
  const others = Promise.withResolvers<void>()
  let asked = 0
  let open = 0
  let most = 0
  sluggish.answer(async () => {
    asked += 1
    open += 1
    most = Math.max(most, open)
    await (asked > 90 ? others.promise : new Promise((resolve) => setTimeout(resolve, 100)))
    open -= 1
    return taken
  })
  await orderMany(slow, 100, sluggish.url)
  await sluggish.waitFor(() => true)
  await orderMany(quick, 20, receiver.url)
  await expect.poll(() => delivered(quick), { interval: 50 }).toBe(20)
  expect(await delivered(slow)).toBeLessThan(100)
  others.resolve()
  await expect.poll(() => delivered(slow), { interval: 50 }).toBe(100)
  expect(most).toBeGreaterThan(8)
  expect(most).toBeLessThanOrEqual(64)
  await sluggish.close()
})

test('a partner whose receiver hangs has two deliveries under way soon, and gets its slots back when it answers', async () => {
  await restartWorker({}, 2_000)
  const partner = await makePartner(sql(), { balance: 10_000 })
  const hanging = await startScriptedReceiver()
  hanging.answer(() => 'hang')
  await orderMany(partner, 16, hanging.url)
  const slots = async () => {
    const [row] = await sql()`
      select (s.slow_hosts ->> '127.0.0.1')::int as slots, count(*) filter (where e.state in ('ready', 'sending'))::int as taken
      from supply.delivery_slots s join supply.events e using (account_id)
      where s.account_id = ${partner.accountId} group by s.slow_hosts`
    return row
  }
  await expect.poll(slots, { interval: 50 }).toEqual({ slots: 2, taken: 2 })
  hanging.answer(() => taken)
  const deliverNow = () => sql()`
    select ops.deliver_now(event_id) from ops.events
    where account_id = ${partner.accountId} and state = 'waiting' and next_attempt_at > now()`
  await expect.poll(() => deliverNow().then(() => delivered(partner)), { interval: 50 }).toBe(16)
  // How many depends on the attempts that hung before, and time out meanwhile.
  expect((await slots())?.slots).not.toBe(2)
  await hanging.close()
})

test('receivers that hang at later attempts delay no first attempts of others', async () => {
  await restartWorker({ webhookConcurrency: 16 }, patientMs)
  const hanging = await startScriptedReceiver()
  const silence = new Promise<never>(() => {})
  hanging.answer(({ nth }) => (nth === 1 ? { status: 500 } : silence))
  const partners = await Promise.all([1, 2, 3].map(() => makePartner(sql(), { balance: 10_000 })))
  for (const partner of partners) await orderMany(partner, 8, hanging.url)
  const waiting = (state: string) => sql()`
    select event_id from ops.events where attempts > 0 and state = ${state}
      and account_id = any(${partners.map(({ accountId }) => accountId)})`
  await expect.poll(() => waiting('waiting'), { interval: 50 }).toHaveLength(24)
  await sql()`select ops.deliver_now(e.event_id) from ops.events e where e.state = 'waiting'`
  await expect.poll(() => waiting('sending'), { interval: 50 }).toHaveLength(16)

  const healthy = await makePartner(sql(), { balance: 10_000 })
  await orderMany(healthy, 1, receiver.url)
  await expect.poll(() => delivered(healthy), { interval: 50 }).toBe(1)
  expect(await waiting('sending')).toHaveLength(16)
  await hanging.close()
})

test('a supplier that hangs holds up no item of another', async () => {
  await restartWorker({ supplierConcurrency: 40 }, patientMs)
  const silent = await startScriptedSupplier()
  silent.setAnswer(() => 'hang')
  await sql()`select ops.upsert_supplier('silent', ${silent.url}, ${silent.token})`
  await sql()`select ops.upsert_product(400, 'space-trader', 'Never', 1, 'RUB', 'id_only', '[]')`
  await sql()`select ops.upsert_offer(400, 'silent', 'x')`
  const partner = await makePartner(sql(), { balance: 10_000 })
  await Promise.all(Array.from({ length: 30 }, () => place(sql(), partner, { items: [{ productId: 400 }] })))
  const asked = () => sql()`select from supply.order_items where supplier = 'silent' and lease_expires_at > now()`
  await expect.poll(asked, { interval: 50 }).toHaveLength(4)

  const { body } = await place(sql(), partner)
  const status = async () => (await sql()`select status from ops.orders where order_code = ${body.code}`)[0]?.status
  await expect.poll(status, { interval: 50 }).toBe('completed')
  expect(await asked()).toHaveLength(4)
  silent.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  await silent.close()
})
