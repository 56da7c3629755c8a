import type postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { answered, beginDeliveries, finishAttempt, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, processing } from '../../support/items.ts'
import { lastLogged, refusals, timesLogged } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const scene = itemTests()
const { sql: superuser, operator: sql, partner, order, newItem, newEvent, eventOf, jobsOf, attempt } = scene

/** Checks that an event or an item has one job, which is due. */
async function expectJobNow(id: string): Promise<void> {
  const jobs = await jobsOf(id)
  expect(jobs).toHaveLength(1)
  expect(jobs[0]?.wait).toBeLessThanOrEqual(0)
}

async function eventIn(state: 'waiting' | 'sending' | 'delivered' | 'dead', of = partner()): Promise<string> {
  const id = await newEvent(of)
  if (state === 'sending') await leaseAttempt(superuser(), id)
  if (state === 'delivered') await attempt(id, answered(200))
  if (state === 'dead') await attempt(id, answered(410))
  return id
}

describe('ops.redeliver', () => {
  /** Redelivers the dead letters of the partner of the last day. Returns their number. */
  const redeliverAll = (on: postgres.ISql, dryRun = ', false') =>
    oneValue<string>(on.unsafe(`select ops.redeliver_all(${partner().accountId}, now() - interval '1 day'${dryRun})`))

  test('starts a new round of a dead letter, due now, with one job', async () => {
    const id = await eventIn('dead')
    await sql()`select ops.redeliver(${id})`
    expect(await eventOf(id)).toMatchObject({
      ...{ state: 'waiting', round: 2, attempts: 0, dead_at: null, dead_reason: null },
    })
    expect((await eventOf(id)).wait).toBeLessThanOrEqual(0)
    await expectJobNow(id)
    expect(await sql()`select from ops.dead_letters where event_id = ${id}`).toEqual([])
    expect(await lastLogged(sql())).toEqual({
      ...{ action: 'redeliver', subject: `event ${id}`, detail: { dead_reason: 'http_4xx' } },
    })
  })

  test.each(['waiting', 'sending'] as const)('is refused for a %s event', async (state) => {
    const id = await eventIn(state)
    await expect(sql()`select ops.redeliver(${id})`).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `event ${id} is still being delivered: it is ${state}, after ${state === 'waiting' ? 0 : 1} of 9 attempts`,
    })
    expect(await eventOf(id)).toMatchObject({ state, round: 1 })
  })

  test('for all counts the dead letters of the account since a time, and without dry_run sends them', async () => {
    const old = await eventIn('dead')
    await superuser()`update supply.events set dead_at = now() - interval '2 days' where id = ${old}`
    const dead = [await eventIn('dead'), await eventIn('dead')]
    const delivered = await eventIn('delivered')
    const others = await eventIn('dead', await makePartner(superuser()))
    const sample = await eventIn('dead')
    await superuser()`update supply.events set simulated = true, order_id = null where id = ${sample}`
    const logged = await timesLogged(sql())
    expect(await redeliverAll(sql(), '')).toBe('2')
    expect(await redeliverAll(sql(), ', true')).toBe('2')
    expect(await timesLogged(sql())).toBe(logged)
    expect(await redeliverAll(sql())).toBe('2')
    expect(await redeliverAll(sql())).toBe('0')
    const states = await Promise.all([old, ...dead, delivered, others, sample].map(eventOf))
    expect(states.map((event) => `${event.state} ${event.round}`)).toEqual([
      ...['dead 1', 'waiting 2', 'waiting 2', 'delivered 1', 'dead 1', 'dead 1'],
    ])
    expect((await Promise.all(dead.map(jobsOf))).flat()).toHaveLength(2)
  })

  test('for all holds up no order of the account', async () => {
    await eventIn('dead')
    await superuser().begin(async (redelivering) => {
      await redeliverAll(redelivering)
      // What an order does first.
      const free = await superuser()`
        select id from supply.accounts where id = ${partner().accountId} for no key update skip locked`
      expect(free).toHaveLength(1)
    })
  })

  test('for all holds up no delivery of the account, however long it takes', async () => {
    await eventIn('dead')
    const last = await eventIn('dead')
    const [first, second] = [await newEvent(), await newEvent()]
    const leased = await leaseAttempt(superuser(), first)
    const redelivered = await whileHeld(
      superuser(),
      (holder) => holder`select from supply.events where id = ${last} for update`,
      () => redeliverAll(superuser()),
      async () => {
        expect(await finishAttempt(superuser(), leased, answered(200))).toBe('delivered')
        expect((await leaseAttempt(superuser(), second)).event_id).toBe(second)
        expect((await place(superuser(), partner())).body.status).toBe('processing')
      },
    )
    expect(redelivered).toBe('2')
  })
})

describe('ops.deliver_now', () => {
  test('makes the next attempt due now, which is still one of the nine', async () => {
    const id = await eventIn('waiting')
    await attempt(id, answered(500))
    expect((await jobsOf(id))[0]?.wait).toBeGreaterThan(50)
    await sql()`select ops.deliver_now(${id})`
    expect(await eventOf(id)).toMatchObject({ state: 'waiting', round: 1, attempts: 1 })
    await expectJobNow(id)
    expect(await lastLogged(sql())).toMatchObject({ action: 'deliver_now', subject: `event ${id}` })
    expect(await beginDeliveries(superuser(), [id])).toMatchObject([{ attempt: 2 }])
  })

  test('is refused for an event that does not wait', async () => {
    for (const state of ['sending', 'delivered', 'dead'] as const) {
      await expect(sql()`select ops.deliver_now(${await eventIn(state)})`).rejects.toMatchObject(refusals.wrongState)
    }
  })
})

describe('ops.poll_now', () => {
  const lease = (id: string) => superuser()`select method from work.begin_calls(${[id]}, '{}', null)`

  test('makes the next call of an item due now', async () => {
    const id = await newItem()
    for (let n = 0; n < 5; n += 1) await answer(superuser(), id, processing())
    expect((await jobsOf(id))[0]?.wait).toBeGreaterThan(15)
    await sql()`select ops.poll_now(${id})`
    await expectJobNow(id)
    expect(await lastLogged(sql())).toEqual({
      ...{ action: 'poll_now', subject: `item ${id}`, detail: { supplier: 'first' } },
    })
    expect([...(await lease(id))]).toEqual([{ method: 'get' }])
  })

  test('polls stuck and held items, too, which a good answer then settles', async () => {
    const stuck = await newItem()
    await answer(superuser(), stuck, processing())
    await superuser()`update supply.order_items set sent_at = now() - interval '2 days' where id = ${stuck}`
    expect(await answer(superuser(), stuck, processing())).toBe('stuck')
    const held = (await order({ items: [{ productId: products.key }] })).item
    expect(await answer(superuser(), held, completed())).toBe('held')
    expect(await lease(held)).toEqual([])
    for (const [id, codes] of [[stuck, []] as const, [held, ['A']] as const]) {
      await sql()`select ops.poll_now(${id})`
      expect(await answer(superuser(), id, completed({ codes: [...codes] }))).toBe('settled')
    }
  })

  test('is refused for an item that is final', async () => {
    const id = await newItem()
    await answer(superuser(), id, completed())
    await expect(sql()`select ops.poll_now(${id})`).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `item ${id} is not at a supplier: it is completed`,
    })
  })
})
