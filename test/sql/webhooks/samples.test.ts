import postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { testDatabase } from '../../support/database.ts'
import { leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
const callbackUrl = 'https://hooks.example/x'

beforeAll(() => makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' }))

type Answer = { event_id: string | null; refusal: string | null; retry_after: number | null }

async function simulate(
  to: postgres.Sql | postgres.TransactionSql,
  { accountId }: Partner,
  orderCode: string | null = null,
) {
  const [row] = await to<Answer[]>`
    select * from api.simulate_webhook(${accountId}, ${callbackUrl}, 'order.completed', ${orderCode})`
  return row as Answer
}

/** Makes samples that were asked for some time ago and are still open. */
const openSamples = ({ accountId }: Partner, count: number, age: string) => sql()`
  insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, next_attempt_at, created_at)
  select ${accountId}, 'x', 'order.completed', ${callbackUrl}, '{}', true, now() + interval '1 hour',
    now() - ${age}::interval
  from generate_series(1, ${count}::int)`

const deliverAll = ({ accountId }: Partner) => sql()`
  update supply.events set state = 'delivered', next_attempt_at = null, delivered_at = now() where account_id = ${accountId}`

/** As two processes with sixteen connections each, which ask for samples at the same moment; how many got one. */
async function race(partner: Partner, count: number): Promise<{ accepted: number; refusals: string[] }> {
  const processes = [1, 2].map(() => postgres(database.url, { max: 16, onnotice: () => {} }))
  try {
    const asked = Array.from({ length: count }, (_, n) => processes[n % 2] as postgres.Sql)
    const answers = await Promise.all(asked.map((process) => simulate(process, partner)))
    const refusals = [...new Set(answers.flatMap(({ refusal }) => refusal ?? []))]
    return { accepted: answers.filter(({ event_id }) => event_id !== null).length, refusals }
  } finally {
    for (const process of processes) await process.end({ timeout: 1 })
  }
}

const testPartner = () => makePartner(sql(), { mode: 'test' })

describe('the limits of an account', () => {
  test('are a hundred open samples, also when two processes ask at once', async () => {
    const partner = await testPartner()
    await openSamples(partner, 50, '2 minutes')
    await openSamples(partner, 20, '1 hour')
    expect(await race(partner, 150)).toEqual({ accepted: 30, refusals: ['too_many_open'] })
    const [row] =
      await sql()`select count(*)::int as open from ops.events where account_id = ${partner.accountId}`
    expect(row?.open).toBe(100)
  })

  test('are sixty samples in any minute, also when two processes ask at once', async () => {
    const partner = await testPartner()
    expect(await race(partner, 150)).toEqual({ accepted: 60, refusals: ['too_many_a_minute'] })
    expect((await simulate(sql(), await testPartner())).refusal).toBeNull()
  })

  test('say after how many seconds the oldest of the sixty is a minute old', async () => {
    const partner = await testPartner()
    await openSamples(partner, 20, '10 s')
    await openSamples(partner, 40, '1 s')
    const { refusal, retry_after: wait } = await simulate(sql(), partner)
    expect(refusal).toBe('too_many_a_minute')
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(50)
    await sql()`update supply.events set created_at = created_at - interval '50 s'
      where account_id = ${partner.accountId} and created_at < now() - interval '10 s'`
    expect((await simulate(sql(), partner)).refusal).toBeNull()
  })

  test('leave closed samples and real events out', async () => {
    const partner = await testPartner()
    await openSamples(partner, 99, '2 minutes')
    await deliverAll(partner)
    await openSamples(partner, 99, '2 minutes')
    await makeEvent(sql(), partner)
    expect((await simulate(sql(), partner)).refusal).toBeNull()
    expect((await simulate(sql(), partner)).refusal).toBe('too_many_open')
  })

  test('read as many rows however many were sent, by plans that were made while there were none', async () => {
    const partner = await testPartner()
    const session = postgres(database.url, { max: 1, connection: plansByKey })
    try {
      for (let n = 0; n < 8; n += 1) await simulate(session, await testPartner())
      await openSamples(partner, 5000, '2 hours')
      await openSamples(await testPartner(), 5000, '1 s')
      // What is known of the table then is no longer true when the plans are made again for it.
      await sql()`analyze supply.events`
      await deliverAll(partner)
      const read = await session.begin(async (transaction) => {
        expect((await simulate(transaction, partner)).refusal).toBeNull()
        const [row] = await transaction`
          select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'events'`
        return Number(row?.rows)
      })
      expect(read).toBeLessThan(500)
    } finally {
      await session.end({ timeout: 1 })
    }
  })
})

describe('a sample about an own order', () => {
  /** A completed order of one line, with codes of a thousand characters. */
  async function orderOf(partner: Partner, codes: number) {
    const { body } = await place(sql(), partner, { items: [{ productId: products.key, quantity: codes }] })
    const given = Array.from({ length: codes }, (_, n) => `${n}-`.padEnd(1000, 'x'))
    for (const { id } of body.items) await answer(sql(), id, completed({ codes: given }))
    return body.code
  }

  test('of which the event would be larger than 64 KiB is refused', async () => {
    const partner = await makePartner(sql(), { mode: 'test', balance: 10_000 })
    const large = await orderOf(partner, 70)
    expect(await simulate(sql(), partner, large)).toEqual({
      event_id: null,
      refusal: 'too_large',
      retry_after: null,
    })
    expect((await simulate(sql(), partner, await orderOf(partner, 60))).refusal).toBeNull()
    expect(
      await sql()`select from ops.events where account_id = ${partner.accountId} and simulated`,
    ).toHaveLength(1)
  })
})

describe('a sample that is being sent', () => {
  test('shows its attempt as under way for as long as its result is not known', async () => {
    const partner = await testPartner()
    const { event_id: eventId } = await simulate(sql(), partner)
    await leaseAttempt(sql(), eventId as string)
    await sql()`update supply.delivery_attempts set started_at = now() - interval '1 minute' where event_id = ${eventId}`
    const [row] = await sql()`select api.get_simulation(${partner.accountId}, ${eventId}) as shown`
    expect(row?.shown).toMatchObject({
      ...{ state: 'sending', deadReason: null, deadAt: null },
      attempts: [{ attempt: 1, finishedAt: null, outcome: null, error: null }],
    })
  })
})
