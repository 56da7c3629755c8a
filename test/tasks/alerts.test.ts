import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { answer, unknown } from '../support/items.ts'
import { orderedEvent } from '../support/ordered_events.ts'
import { audit, place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import type { ScriptedReceiver } from '../support/servers/scripted_receiver.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { type RunningWorker, startTestWorker } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let deliveries: Deliveries
let receiver: ScriptedReceiver
/** Where the operators are called; any server that keeps what it receives will do. */
let pager: ScriptedSupplier
let worker: RunningWorker
let partner: Partner

beforeAll(async () => {
  pager = await startScriptedSupplier()
  deliveries = await startDeliveries(database, { alertWebhookUrl: `${pager.url}/hooks/secret-token` })
  ;({ receiver, worker } = deliveries)
  receiver.answer(() => ({ status: 410 }))
})
beforeEach(async () => {
  pager.setAnswer(() => ({ status: 200, text: 'ok' }))
  partner = await makePartner(sql())
})
afterEach(async () => {
  await expect.poll(() => sql()`select from ops.queue`).toHaveLength(0)
  expect(await audit(sql())).toEqual([])
})
afterAll(async () => {
  await deliveries.close()
  await pager.close()
})

type Posted = { [field: string]: unknown }

const causeOf = (reason: string) => `dead_letter:${reason}:account ${partner.accountId}`
const calls = (reason = 'http_4xx') => pager.requests.filter(({ rawBody }) => rawBody.includes(`"${causeOf(reason)}:`))
const logged = (reason = 'http_4xx') =>
  worker.records.filter(({ alert, level }) => alert === causeOf(reason) && level === 'error')

async function alertOf(reason = 'http_4xx') {
  const [alert] = await sql()`select * from ops.alerts where cause = ${causeOf(reason)} order by hour desc limit 1`
  return alert
}

/** Makes an event a dead letter: the receiver is gone for good. */
async function deadLetter(): Promise<string> {
  const id = await orderedEvent(sql(), partner, receiver.url)
  const dead = () => sql()`select from ops.dead_letters where event_id = ${id}`
  await expect.poll(dead, { interval: 50 }).toHaveLength(1)
  return id
}

const sent = (reason?: string) =>
  expect.poll(async () => (await alertOf(reason))?.sent_at, { interval: 50 }).toBeInstanceOf(Date)

async function jobsDue(): Promise<void> {
  await sql()`update graphile_worker._private_jobs set run_at = now() where locked_at is null`
  await sql()`select pg_notify('jobs:insert', '{"r":1,"count":1}')`
}

describe('a dead letter', () => {
  test('is an alert: a row, one error line, and one post of a text that names the event', async () => {
    const id = await deadLetter()
    await sent()
    expect(await alertOf()).toMatchObject({ cause: causeOf('http_4xx'), count: 1 })
    expect(logged()).toHaveLength(1)
    expect(logged()[0]?.msg).toContain(id)
    expect(calls()).toHaveLength(1)
    const [{ method, headers, body, path } = {}] = calls()
    expect({ method, path, type: headers?.['content-type'] }).toEqual({
      method: 'POST',
      path: '/hooks/secret-token',
      type: 'application/json',
    })
    expect(Object.keys(body as object)).toEqual(['text'])
    expect((body as { text: string }).text).toContain(`event ${id}`)
    expect((body as { text: string }).text).toContain('status 410')
  })

  test('of the same cause and hour has an error line, but is only counted in the alert', async () => {
    await deadLetter()
    await sent()
    const others = [await deadLetter(), await deadLetter()]
    const lines = () => worker.records.filter(({ msg, level }) => msg === 'delivery' && level === 'error')
    await expect.poll(() => lines().map(({ event }) => event)).toEqual(expect.arrayContaining(others))
    expect(await alertOf()).toMatchObject({ count: 3 })
    expect(calls()).toHaveLength(1)
    expect(logged()).toHaveLength(1)
  })
})

describe('a post that the alert webhook does not accept', () => {
  test('is tried again until it is taken, and the log has one line all the same', async () => {
    const refusals = [{ status: 500 }, { status: 302, headers: { location: '/elsewhere' } }, 'reset' as const]
    pager.setAnswer(({ rawBody }) => {
      const attempts = pager.requests.filter((request) => request.rawBody === rawBody).length
      return refusals[attempts - 1] ?? { status: 204 }
    })
    await deadLetter()
    // The queue tries again by itself, later each time.
    const sentSoon = () => jobsDue().then(() => alertOf())
    await expect.poll(async () => (await sentSoon())?.sent_at, { interval: 50 }).toBeInstanceOf(Date)
    expect(calls()).toHaveLength(4)
    expect(logged()).toHaveLength(1)
    expect(pager.requests.filter(({ path }) => path === '/elsewhere')).toHaveLength(0)
  })

  test('never shows the address of the webhook in the log', () => {
    expect(JSON.stringify(worker.records)).not.toContain('secret-token')
  })
})

describe('the end of an alert', () => {
  /** Redelivers all dead letters to a receiver that takes them now. */
  async function redeliver(): Promise<void> {
    receiver.answer(() => ({ status: 200 }))
    await sql()`select ops.redeliver_all(${partner.accountId}, now() - interval '1 hour', dry_run => false)`
    const end = async () => (await alertOf())?.end_sent_at
    await expect.poll(end, { interval: 50 }).toBeInstanceOf(Date)
    receiver.answer(() => ({ status: 410 }))
  }

  test('is sent in one line, once', async () => {
    await deadLetter()
    await sent()
    await redeliver()
    expect(await alertOf()).toMatchObject({ state: 'closed', closed_at: expect.any(Date) })
    const ends = pager.requests.filter(({ rawBody }) => rawBody.includes(`"resolved: ${causeOf('http_4xx')} (`))
    expect(ends).toHaveLength(1)
    expect(calls()).toHaveLength(1)
    expect(worker.records.filter(({ alert, level }) => alert === causeOf('http_4xx') && level === 'info')).toHaveLength(
      1,
    )
  })

  test('is sent to Alertmanager with the labels of the alert', async () => {
    await worker.stop()
    worker = await startTestWorker(database.url, {
      alertWebhookUrl: `${pager.url}/api/v2/alerts`,
      alertWebhookFormat: 'alertmanager',
    })
    deliveries.worker = worker
    const id = await deadLetter()
    await sent()
    await redeliver()
    const bodies = pager.requests
      .filter(({ rawBody }) => rawBody.includes(`"${causeOf('http_4xx')}"`))
      .map(({ body }) => body)
    const [[firing], [resolved]] = bodies as [Posted[], Posted[]]
    const alert = await alertOf()
    const labels = {
      alertname: 'dead_letter',
      service: 'supply-ordering-service',
      subject: `account ${partner.accountId}`,
      cause: causeOf('http_4xx'),
    }
    expect(firing).toMatchObject({
      labels,
      annotations: { summary: expect.stringContaining(`event ${id}`), count: '1' },
      startsAt: alert?.first_at.toISOString(),
    })
    expect(Date.parse(String(firing?.endsAt))).toBeGreaterThan(Date.now() + 86_400_000)
    expect(resolved).toMatchObject({ labels, startsAt: firing?.startsAt, endsAt: alert?.closed_at.toISOString() })
    expect(bodies).toHaveLength(2)
  })
})

test('without an alert webhook the row and the error line are the alert', async () => {
  await worker.stop()
  worker = await startTestWorker(database.url)
  deliveries.worker = worker
  const id = await deadLetter()
  await sent()
  expect(logged()).toHaveLength(1)
  expect(logged()[0]?.msg).toContain(id)
  expect(calls()).toHaveLength(0)
})

test('a supplier that answers nothing usable is an error line, until it answers', async () => {
  await worker.stop()
  const { body } = await place(sql(), partner)
  const item = body.items[0]?.id ?? ''
  await answer(sql(), item, unknown())
  // All earlier answers are older.
  await sql()`update supply.supplier_attempts set started_at = started_at - interval '6 minutes',
    finished_at = finished_at - case when outcome = 'unknown' then interval '6 minutes' else interval '1 day' end`
  await sql()`delete from supply.supplier_states`
  await sql()`update supply.order_items set next_check_at = now() + interval '1 hour' where id = ${item}`
  await sql()`update graphile_worker._private_jobs set run_at = now() + interval '1 hour'`
  worker = await startTestWorker(database.url)
  deliveries.worker = worker
  const told = () => worker.records.filter(({ alert }) => alert === 'supplier_silent:first')
  await expect.poll(() => told().map(({ level }) => level)).toEqual(['error'])
  expect(told()[0]?.msg).toMatch(/^supplier first has given no usable answer since .*: timeout$/)
  await sql()`select ops.poll_now(${item})`
  await expect.poll(() => told().map(({ level }) => level)).toEqual(['error', 'info'])
})
