import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
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
  taken,
} from '../support/servers/scripted_receiver.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let deliveries: Deliveries
let receiver: ScriptedReceiver
let partner: Partner

beforeAll(async () => {
  deliveries = await startDeliveries(database, {}, 2_000)
  receiver = deliveries.receiver
  partner = await makePartner(sql())
})
afterEach(async () => {
  receiver.answer(() => taken)
  expect(await audit(sql())).toEqual([])
})
afterAll(() => deliveries.close())

const newEvent = () => orderedEvent(sql(), partner, receiver.url)

type Attempt = { status_code: number | null; error: string | null; planned: number | null }

/** The attempt, once it has ended; `planned` is the delay to the next one in seconds. */
async function endedAttempt(id: string, attempt: number): Promise<Attempt> {
  const find = async () => {
    const [row] = await sql()<Attempt[]>`
      select status_code, error, extract(epoch from next_attempt_at - finished_at)::float as planned
      from ops.delivery_attempts where event_id = ${id} and attempt = ${attempt} and finished_at is not null`
    return row
  }
  await expect.poll(find, { interval: 10 }).toBeDefined()
  return (await find()) as Attempt
}

const deliverNow = (id: string) => sql()`select ops.deliver_now(${id})`

test('an event has nine sends over the same bytes, each signed again, after every answer that may be better next time', async () => {
  const answers: ReceiverAnswer[] = [
    ...[{ status: 500 }, { status: 408 }, { status: 429, headers: { 'retry-after': '120' } }, 'reset' as const],
    ...['hang' as const, { status: 503, headers: { 'retry-after': '10' } }, { status: 599 }, { status: 504 }],
    { status: 500 },
  ]
  receiver.answer(({ nth }) => answers[nth - 1] ?? taken)
  const id = await newEvent()
  const attempts: Attempt[] = []
  for (let n = 1; n <= answers.length; n += 1) {
    attempts.push(await endedAttempt(id, n))
    if (n < answers.length) await deliverNow(id)
  }
  // A 429 may ask for another delay, and a 503 may not; later rungs return to the table.
  expect(attempts.map(({ planned }) => planned)).toEqual([...rungs.with(2, 120), null])
  expect(attempts.map(({ status_code, error }) => status_code ?? error)).toEqual([
    ...[500, 408, 429, 'connection closed by the receiver', 'timeout after 2 s: response headers'],
    ...[503, 599, 504, 500],
  ])
  const [ended] = await sql()`select state, attempts, dead_reason from ops.events where event_id = ${id}`
  expect(ended).toEqual({ state: 'dead', attempts: 9, dead_reason: 'attempts_exhausted' })
  await expect(deliverNow(id)).rejects.toThrow('dead letter')
  await expect.poll(() => sql()`select from ops.queue where subject = ${id}`).toHaveLength(0)

  const sends = receiver.deliveries(id)
  expect(sends).toHaveLength(9)
  expect(new Set(sends.map(({ body }) => body)).size).toBe(1)
  const [row] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
  for (const send of sends) expect(isAuthentic(send, row?.secret)).toBe(true)
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
