import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { verify } from '../../src/messages/sign.ts'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { rungs } from '../support/events.ts'
import { orderedEvent } from '../support/ordered_events.ts'
import { audit } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import {
  type ReceivedDelivery,
  type ReceiverAnswer,
  type ScriptedReceiver,
  startScriptedReceiver,
  taken,
} from '../support/servers/scripted_receiver.ts'

const database = testDatabase()
const sql = () => database.sql
let deliveries: Deliveries
let receiver: ScriptedReceiver
let partner: Partner

beforeAll(async () => {
  deliveries = await startDeliveries(database)
  receiver = deliveries.receiver
  partner = await makePartner(sql())
})
afterEach(async () => {
  receiver.answer(() => taken)
  expect(await audit(sql())).toEqual([])
})
afterAll(() => deliveries.close())

const newEvent = () => orderedEvent(sql(), partner, receiver.url)

type Attempt = { outcome: string | null; status_code: number | null; error: string | null; planned: number | null }

/** The attempt, once it has ended; `planned` is the delay to the next one in seconds. */
async function endedAttempt(id: string, attempt: number): Promise<Attempt> {
  const find = async () => {
    const [row] = await sql()<Attempt[]>`
      select outcome, status_code, error, extract(epoch from next_attempt_at - finished_at)::float as planned
      from ops.delivery_attempts where event_id = ${id} and attempt = ${attempt} and finished_at is not null`
    return row
  }
  await expect.poll(find, { interval: 10 }).toBeDefined()
  return (await find()) as Attempt
}

async function stateOf(id: string) {
  const [row] = await sql()`
    select e.state, e.attempts, d.reason from ops.events e left join ops.dead_letters d using (event_id)
    where e.event_id = ${id}`
  return row
}

const deliverNow = (id: string) => sql()`select ops.deliver_now(${id})`

/** Walks an event down the ladder, one answer an attempt, each made due by hand; gives the attempts. */
async function walk(answers: (() => ReceiverAnswer)[]): Promise<{ id: string; attempts: Attempt[] }> {
  receiver.answer(({ nth }) => answers[nth - 1]?.() ?? taken)
  const id = await newEvent()
  const attempts: Attempt[] = []
  for (let n = 1; n <= answers.length; n += 1) {
    attempts.push(await endedAttempt(id, n))
    if ((await stateOf(id))?.state === 'waiting' && n < answers.length) await deliverNow(id)
  }
  return { id, attempts }
}

describe('the ladder', () => {
  test('has nine sends, each signed again over the same bytes, at the delays of the table, and no tenth', async () => {
    const { id, attempts } = await walk(Array.from({ length: 9 }, () => () => ({ status: 500 })))
    expect(attempts.map(({ planned }) => planned)).toEqual([...rungs, null])
    expect(await stateOf(id)).toEqual({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    await expect(deliverNow(id)).rejects.toThrow('dead letter')
    await expect.poll(() => sql()`select from ops.queue where subject = ${id}`).toHaveLength(0)

    const sends = receiver.deliveries(id)
    expect(sends).toHaveLength(9)
    expect(new Set(sends.map(({ body }) => body)).size).toBe(1)
    const [row] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
    for (const send of sends) expect(isAuthentic(send, row?.secret)).toBe(true)
  })

  test('begins again when an operator redelivers: nine more sends, of the same event', async () => {
    receiver.answer(() => ({ status: 410 }))
    const id = await newEvent()
    await expect.poll(async () => (await stateOf(id))?.state).toBe('dead')
    receiver.answer(() => ({ status: 500 }))
    await sql()`select ops.redeliver(${id})`
    for (let n = 1; n <= 9; n += 1) {
      await receiver.waitFor(({ eventId, nth }) => eventId === id && nth === n + 1)
      await expect.poll(async () => (await stateOf(id))?.state).not.toBe('sending')
      if (n < 9) await deliverNow(id)
    }
    expect(await stateOf(id)).toEqual({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    expect(receiver.deliveries(id)).toHaveLength(10)
    expect(new Set(receiver.deliveries(id).map(({ body }) => body)).size).toBe(1)
  })

  test('goes on after every kind of answer that may be better next time', async () => {
    const { id, attempts } = await walk([
      () => ({ status: 500 }),
      () => ({ status: 408 }),
      () => ({ status: 429 }),
      () => 'reset',
      () => 'hang',
      () => ({ status: 503 }),
      () => ({ status: 599 }),
      () => ({ status: 504 }),
      () => ({ status: 204 }),
    ])
    expect(attempts.map(({ outcome }) => outcome)).toEqual([...rungs.map(() => 'retry'), 'delivered'])
    expect(attempts.map(({ planned }) => planned)).toEqual([...rungs, null])
    expect(attempts.map(({ status_code, error }) => status_code ?? error)).toEqual([
      ...[500, 408, 429, 'connection closed by the receiver', 'timeout after 2 s: response headers'],
      ...[503, 599, 504, 204],
    ])
    expect(await stateOf(id)).toMatchObject({ state: 'delivered', attempts: 9 })
  })

  test.each([
    [400, 'http_4xx'],
    [404, 'http_4xx'],
    [410, 'http_4xx'],
    [301, 'http_3xx'],
    [307, 'http_3xx'],
  ])('ends at once with a %i, and a redirect is not followed', async (status, reason) => {
    const elsewhere = await startScriptedReceiver()
    const { id } = await walk([() => ({ status, headers: { location: elsewhere.url } })])
    expect(await stateOf(id)).toEqual({ state: 'dead', attempts: 1, reason })
    expect(receiver.deliveries(id)).toHaveLength(1)
    expect(elsewhere.deliveries()).toHaveLength(0)
    await elsewhere.close()
  })
})

function isAuthentic({ headers, body }: ReceivedDelivery, secret: string): boolean {
  const header = (name: string) => String(headers[name])
  return verify({
    secret,
    timestamp: header('x-webhook-timestamp'),
    signature: header('x-webhook-signature'),
    body,
    now: new Date(),
  })
}

describe('Retry-After', () => {
  const asking = (status: number, value: string | string[]) => () => ({ status, headers: { 'retry-after': value } })
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
  const weekday = (date: Date) => date.toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })
  const imf = (date: Date) => date.toUTCString()
  const rfc850 = (date: Date) =>
    imf(date).replace(
      /^\w+, (\d\d) (\w+) \d\d(\d\d)/,
      (_, day, month, year) => `${weekday(date)}, ${day}-${month}-${year}`,
    )
  const asctime = (date: Date) =>
    imf(date).replace(
      /^(\w+), (\d\d) (\w+) (\d{4}) (\S+) GMT$/,
      (_, name, day, month, year, time) => `${name} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`,
    )

  /** Checks the planned delays; a date is understood to the second. */
  function expectDelays(attempts: Attempt[], expected: (number | null)[]): void {
    for (const [index, delay] of expected.entries()) {
      const { planned } = attempts[index] ?? { planned: Number.NaN }
      if (delay === null) expect(planned).toBeNull()
      else expect(Math.abs((planned ?? Number.NaN) - delay), `after attempt ${index + 1}`).toBeLessThanOrEqual(2)
    }
  }

  test('of 429 and 408 replaces that one delay, in each of its forms; later rungs return to the table', async () => {
    const { id, attempts } = await walk([
      asking(429, '120'),
      () => ({ status: 500 }),
      () => asking(429, imf(inSeconds(1_000)))(),
      () => ({ status: 500 }),
      () => asking(408, rfc850(inSeconds(2_000)))(),
      () => asking(429, asctime(inSeconds(3_000)))(),
      asking(408, '  77 '),
      () => ({ status: 500 }),
      () => taken,
    ])
    expectDelays(attempts, [120, 300, 1_000, 3_600, 2_000, 3_000, 77, 86_400, null])
    expect(await stateOf(id)).toMatchObject({ state: 'delivered', attempts: 9 })
  })

  test('is clamped to 5 s and 6 h', async () => {
    const { attempts } = await walk([
      asking(429, '0'),
      asking(429, '4'),
      () => asking(429, imf(inSeconds(-3_600)))(),
      () => asking(408, asctime(inSeconds(-3_600)))(),
      asking(429, '21601'),
      asking(429, '99999999999999999999'),
      () => asking(429, imf(inSeconds(7 * 3_600)))(),
      () => asking(429, rfc850(inSeconds(3 * 86_400)))(),
      () => taken,
    ])
    expectDelays(attempts, [5, 5, 5, 5, 21_600, 21_600, 21_600, 21_600, null])
  })

  test('that cannot be parsed is ignored, and so is one that came twice, and any on another status', async () => {
    const { attempts } = await walk([
      asking(429, 'soon'),
      asking(429, '1.5'),
      asking(429, '-5'),
      asking(429, ['10', '10']),
      asking(408, '2030-01-01T00:00:00Z'),
      asking(503, '10'),
      asking(500, '10'),
      () => asking(502, imf(inSeconds(60)))(),
      () => taken,
    ])
    expectDelays(attempts, [...rungs, null])
    const asked = await sql()`select count(retry_after_seconds)::int as n from ops.delivery_attempts
      where event_id = (select event_id from ops.events order by created_at desc limit 1)`
    expect(asked).toEqual([{ n: 0 }])
  })

  test('adds no attempt: nine are the end', async () => {
    const { id, attempts } = await walk(Array.from({ length: 9 }, () => asking(429, '5')))
    expectDelays(attempts, [...rungs.map(() => 5), null])
    expect(await stateOf(id)).toEqual({ state: 'dead', attempts: 9, reason: 'attempts_exhausted' })
    expect(receiver.deliveries(id)).toHaveLength(9)
  })
})
