import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed, processing } from '../../support/items.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const database = testDatabase()
const sql = operatorOf(database)
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(database.sql)
})

async function eventIn(state: 'waiting' | 'sending' | 'delivered' | 'dead', of = partner): Promise<string> {
  const id = await makeEvent(database.sql, of)
  if (state === 'waiting') return id
  const attempt = await leaseAttempt(database.sql, id)
  if (state === 'delivered') await finishAttempt(database.sql, attempt, answered(200))
  if (state === 'dead') await finishAttempt(database.sql, attempt, answered(410))
  return id
}

async function eventOf(id: string) {
  const [row] = await sql()`
    select *, extract(epoch from next_attempt_at - now())::float as wait from ops.events where event_id = ${id}`
  return row
}

/** The jobs for an item or an event, with the seconds until each is due. */
async function jobsOf(id: string) {
  return [
    ...(await sql()`
      select task, extract(epoch from run_at - now())::float as wait from ops.queue where subject = ${id}`),
  ]
}

describe('a redelivery', () => {
  test('starts a new round for a dead letter, due now, with one job', async () => {
    const id = await eventIn('dead')
    await sql()`select ops.redeliver(${id})`
    expect(await eventOf(id)).toMatchObject({
      ...{ state: 'waiting', round: 2, attempts: 0, dead_at: null, dead_reason: null },
    })
    expect((await eventOf(id))?.wait).toBeLessThanOrEqual(0)
    const jobs = await jobsOf(id)
    expect(jobs).toHaveLength(1)
    expect(jobs[0]?.wait).toBeLessThanOrEqual(0)
    expect(await sql()`select from ops.dead_letters where event_id = ${id}`).toEqual([])
    expect(await lastLogged(sql())).toEqual({
      action: 'redeliver',
      subject: `event ${id}`,
      detail: { dead_reason: 'http_4xx' },
    })
    expect(await audit(sql())).toEqual([])
  })

  test.each(['waiting', 'sending', 'delivered'] as const)('of a %s event is refused', async (state) => {
    const id = await eventIn(state)
    await expect(sql()`select ops.redeliver(${id})`).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `event ${id} is no dead letter: it is ${state}`,
    })
    expect(await eventOf(id)).toMatchObject({ state, round: 1 })
  })

  test('of all is counted first, and then done for the dead letters of the account since then', async () => {
    const old = await eventIn('dead')
    await database.sql`update supply.events set dead_at = now() - interval '2 days' where id = ${old}`
    const dead = [await eventIn('dead'), await eventIn('dead')]
    const delivered = await eventIn('delivered')
    const others = await eventIn('dead', await makePartner(database.sql))
    const sample = await eventIn('dead')
    await database.sql`update supply.events set simulated = true, order_id = null where id = ${sample}`
    const logged = await timesLogged(sql())
    const redeliverAll = async (dryRun?: boolean) => {
      const [row] =
        dryRun === undefined
          ? await sql()`select ops.redeliver_all(${partner.accountId}, now() - interval '1 day') as n`
          : await sql()`select ops.redeliver_all(${partner.accountId}, now() - interval '1 day', ${dryRun}) as n`
      return Number(row?.n)
    }
    expect(await redeliverAll()).toBe(2)
    expect(await redeliverAll(true)).toBe(2)
    expect(await timesLogged(sql())).toBe(logged)
    expect(await redeliverAll(false)).toBe(2)
    expect(await redeliverAll(false)).toBe(0)
    const states = await Promise.all([old, ...dead, delivered, others, sample].map(eventOf))
    expect(states.map((event) => `${event?.state} ${event?.round}`)).toEqual([
      ...['dead 1', 'waiting 2', 'waiting 2', 'delivered 1', 'dead 1', 'dead 1'],
    ])
    expect((await Promise.all(dead.map(jobsOf))).flat()).toHaveLength(2)
  })

  test('of many holds up no order of the account', async () => {
    await eventIn('dead')
    await database.sql.begin(async (redelivering) => {
      await redelivering`select ops.redeliver_all(${partner.accountId}, now() - interval '1 day', false)`
      // What an order does first.
      const free = await database.sql`
        select id from supply.accounts where id = ${partner.accountId} for no key update skip locked`
      expect(free).toHaveLength(1)
    })
  })

  test('of many holds up no delivery of the account, however long it takes', async () => {
    await eventIn('dead')
    const last = await eventIn('dead')
    const [first, second] = [await makeEvent(database.sql, partner), await makeEvent(database.sql, partner)]
    const attempt = await leaseAttempt(database.sql, first)
    const redelivered = await whileHeld(
      database.sql,
      (holder) => holder`select from supply.events where id = ${last} for update`,
      () =>
        database.sql`select ops.redeliver_all(${partner.accountId}, now() - interval '1 day', false) as n`,
      async () => {
        expect(await finishAttempt(database.sql, attempt, answered(200))).toBe('delivered')
        expect((await leaseAttempt(database.sql, second)).event_id).toBe(second)
        expect((await place(database.sql, partner)).body.status).toBe('processing')
      },
    )
    expect(redelivered).toMatchObject([{ n: '2' }])
  })
})

describe('the next attempt of an event', () => {
  test('is made due now, and is still one of the nine', async () => {
    const id = await eventIn('waiting')
    await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(500))
    expect((await jobsOf(id))[0]?.wait).toBeGreaterThan(50)
    await sql()`select ops.deliver_now(${id})`
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', round: 1, attempts: 1 })
    const jobs = await jobsOf(id)
    expect(jobs).toHaveLength(1)
    expect(jobs[0]?.wait).toBeLessThanOrEqual(0)
    expect(await lastLogged(sql())).toMatchObject({ action: 'deliver_now', subject: `event ${id}` })
    const leased = await database.sql`select attempt from work.begin_deliveries(${[id]})`
    expect([...leased]).toEqual([{ attempt: 2 }])
  })

  test('is made due for all waiting events of an account at once, and the rest is left alone', async () => {
    const waiting = [await eventIn('waiting'), await eventIn('waiting')]
    await eventIn('dead')
    for (const id of waiting) {
      await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(500))
    }
    const [open] = await sql()`select count(*)::int as n from ops.events
      where account_id = ${partner.accountId} and state in ('waiting', 'queued')`
    const [sent] = await sql()`select ops.deliver_all(${partner.accountId}) as n`
    expect(sent?.n).toBe(open?.n)
    for (const id of waiting) expect((await jobsOf(id))[0]?.wait).toBeLessThanOrEqual(0)
  })

  test('is refused for what does not wait', async () => {
    for (const state of ['sending', 'delivered', 'dead'] as const) {
      await expect(sql()`select ops.deliver_now(${await eventIn(state)})`).rejects.toMatchObject(
        refusals.wrongState,
      )
    }
  })
})

describe('the next question about an item', () => {
  async function newItem(productId: number = products.topUp): Promise<string> {
    const { body } = await place(database.sql, partner, { items: [{ productId, quantity: 1 }] })
    return body.items[0]?.id ?? ''
  }
  const lease = (id: string) => database.sql`select method from work.begin_calls(${[id]}, '{}', null)`

  test('is made due now', async () => {
    const id = await newItem()
    for (let n = 0; n < 5; n += 1) await answer(database.sql, id, processing())
    expect((await jobsOf(id))[0]?.wait).toBeGreaterThan(15)
    await sql()`select ops.poll_now(${id})`
    const jobs = await jobsOf(id)
    expect(jobs).toHaveLength(1)
    expect(jobs[0]?.wait).toBeLessThanOrEqual(0)
    expect(await lastLogged(sql())).toEqual({
      action: 'poll_now',
      subject: `item ${id}`,
      detail: { supplier: 'first' },
    })
    expect([...(await lease(id))]).toEqual([{ method: 'get' }])
  })

  test('is made due also for a stuck item and for a held one, which a good answer then settles', async () => {
    const stuck = await newItem()
    await answer(database.sql, stuck, processing())
    await database.sql`update supply.order_items set sent_at = now() - interval '2 days' where id = ${stuck}`
    expect(await answer(database.sql, stuck, processing())).toBe('stuck')
    const held = await newItem(products.key)
    expect(await answer(database.sql, held, completed())).toBe('held')
    expect(await lease(held)).toEqual([])
    for (const [id, codes] of [[stuck, []] as const, [held, ['A']] as const]) {
      await sql()`select ops.poll_now(${id})`
      expect(await answer(database.sql, id, completed({ codes: [...codes] }))).toBe('settled')
    }
  })

  test('is refused for an item that is final', async () => {
    const id = await newItem()
    await answer(database.sql, id, completed())
    await expect(sql()`select ops.poll_now(${id})`).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `item ${id} is not at a supplier: it is completed`,
    })
  })
})
