import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed, leaseCalls, processing, record, unknown } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { operatorLogin } from '../../support/sql/operator_login.ts'
import { timePasses } from '../../support/sql/passing_time.ts'

const database = testDatabase()
const operator = operatorLogin(database)
let partner: Partner

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(database.sql, { name: 'Acme Games', balance: 100_000 })
})

type Line = { what: string; subject: string; detail: string; remedy: string; order_code: string | null }

const passes = (interval: string) => timePasses(database.sql, interval)

/** The work list, of the given kinds alone. */
async function lines(...kinds: string[]): Promise<Line[]> {
  return [
    ...(await operator().sql<Line[]>`
      select what, subject, detail, remedy, order_code from ops.attention
      where ${kinds.length === 0} or what = any(${kinds})`),
  ]
}

/** Runs what the one line of a kind says, as an operator would paste it. */
async function putRight(kind: string): Promise<object[]> {
  const [line, ...others] = await lines(kind)
  expect(others).toEqual([])
  return [...(await operator().sql.unsafe(line?.remedy ?? ''))]
}

async function newItem(quantity?: number) {
  const items = quantity === undefined ? {} : { items: [{ productId: products.key, quantity }] }
  const { body } = await place(database.sql, partner, items)
  return { code: body.code, item: body.items[0]?.id ?? '' }
}

async function deadEvent() {
  const id = await makeEvent(database.sql, partner)
  await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(410))
  return id
}

async function deliver(id: string) {
  await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(200))
}

const idIn = (line: Line | undefined) => line?.subject.split(' ')[1] ?? ''

describe('nothing wants a human', () => {
  test('while orders are placed, asked for, delivered and told', async () => {
    const { item } = await newItem()
    await answer(database.sql, item, processing())
    await answer(database.sql, item, completed())
    await deliver(await makeEvent(database.sql, partner))
    await newItem()
    expect(await lines()).toEqual([])
  })
})

describe('an item', () => {
  test('that is stuck', async () => {
    const { code, item } = await newItem()
    await answer(database.sql, item, processing())
    await passes('25 hours')
    await answer(database.sql, item, processing())
    expect(await lines('item stuck')).toEqual([
      {
        what: 'item stuck',
        subject: `item ${item}`,
        detail:
          '1 × 100 credits at first, unsettled past its deadline: the remedy refunds, so ask the supplier before',
        remedy: `select ops.settle_item('${item}', 'failed')`,
        order_code: code,
      },
    ])
    await putRight('item stuck')
    expect(await lines('item stuck')).toEqual([])
  })

  test.each([
    [['A'], 'the remedy delivers the code that came and refunds the rest', 1],
    [['A', 'B'], 'the remedy delivers the 2 codes that came and refunds the rest', 2],
    [['A', 'B', 'C', 'D'], 'the remedy delivers no code and refunds', 0],
    [[], 'the remedy refunds, so ask the supplier before', 0],
  ])('that is held with the codes %j', async (codes, advice, delivered) => {
    const { item } = await newItem(3)
    await answer(database.sql, item, completed({ codes }))
    const [line] = await lines('item held')
    expect(line?.detail).toContain(advice)
    await putRight('item held')
    expect(await lines('item held')).toEqual([])
    const [row] = await operator().sql`select codes_delivered from ops.order_items where item_id = ${item}`
    expect(row?.codes_delivered).toBe(delivered)
  })

  test('whose codes are all there, though the supplier said that it failed', async () => {
    const { item } = await newItem(2)
    const [call] = await leaseCalls(database.sql, [item])
    if (call === undefined) throw new Error('no call')
    const both = { ...completed({ codes: ['A', 'B'] }), status: 'failed' }
    expect(await record(database.sql, call, both)).toBe('held')
    expect((await lines('item held'))[0]?.detail).toContain('the remedy delivers the codes that came')
    await putRight('item held')
    const [row] = await operator().sql`select status from ops.order_items where item_id = ${item}`
    expect(row?.status).toBe('completed')
  })

  test('without a usable answer for 15 minutes, from the last good one on', async () => {
    const { code, item } = await newItem()
    await answer(database.sql, item, processing())
    await passes('20 minutes')
    await answer(database.sql, item, processing())
    await passes('14 minutes')
    await answer(database.sql, item, unknown())
    expect(await lines('outcome unknown')).toEqual([])
    await passes('2 minutes')
    expect(await lines('outcome unknown')).toEqual([
      {
        what: 'outcome unknown',
        subject: `item ${item}`,
        detail: '1 × 100 credits: no usable answer from first (timeout); it is asked again and again',
        remedy: `select ops.poll_now('${item}')`,
        order_code: code,
      },
    ])
    await putRight('outcome unknown')
    await answer(database.sql, item, completed())
    expect(await lines('outcome unknown')).toEqual([])
  })

  test.each([
    ['held', 'item held'],
    ['stuck', 'item stuck'],
  ])('among many that are %s, in one line that settles all', async (how, what) => {
    const made: string[] = []
    for (let n = 0; n < 11; n += 1) {
      const { item } = await newItem(2)
      await answer(
        database.sql,
        item,
        how === 'held' ? completed({ codes: ['A', 'B', 'C'].slice(0, n % 2 === 0 ? 3 : 1) }) : processing(),
      )
      made.push(item)
    }
    if (how === 'stuck') {
      await passes('25 hours')
      for (const item of made) await answer(database.sql, item, processing())
    }
    const found = await lines(what)
    expect(found.length).toBe(1)
    expect(found[0]).toMatchObject({ subject: 'supplier first', order_code: null })
    await putRight(what)
    expect(await lines(what)).toEqual([])
  })
})

test('many items without a usable answer are one line', async () => {
  const made: string[] = []
  for (let n = 0; n < 11; n += 1) made.push((await newItem()).item)
  for (const item of made) await answer(database.sql, item, unknown())
  await passes('16 minutes')
  expect(await lines('outcome unknown')).toMatchObject([
    { subject: 'supplier first', detail: expect.stringContaining('11 items') },
  ])
  expect(await putRight('outcome unknown')).toHaveLength(11)
  for (const item of made) await answer(database.sql, item, completed())
  expect(await lines('outcome unknown')).toEqual([])
})

test('a result that contradicts what is settled, until somebody says that it was looked at', async () => {
  const { item } = await newItem()
  await answer(database.sql, item, completed())
  const contradict = async (codes: string[]) =>
    database.sql`select api.record_pushed_result('first', ${item}, ${database.sql.json({ ...completed({ codes }), status: 'failed' } as never)})`
  await contradict([])
  const [line] = await lines('contradicting result')
  expect(line?.detail).toBe(`supplier first says failed about item ${item}, which is completed at first`)
  await putRight('contradicting result')
  expect(await lines('contradicting result')).toEqual([])
  expect(
    await operator().sql`select acknowledged_by, note from ops.alerts where alert_id = ${idIn(line)}`,
  ).toEqual([{ acknowledged_by: operator().name, note: 'settled with the supplier' }])
  await contradict(['another'])
  expect((await lines('contradicting result'))[0]?.detail).toContain('(2 such results in that hour)')
  await putRight('contradicting result')
})

describe('the result of an order', () => {
  test('that is a dead letter', async () => {
    const id = await deadEvent()
    const [line] = await lines('dead letter')
    expect(line).toMatchObject({ subject: `event ${id}`, remedy: `select ops.redeliver('${id}')` })
    expect(line?.detail).toBe(
      `the partner was not told that order ${line?.order_code} ended (order.completed): http_4xx at https://hooks.example/x`,
    )
    await putRight('dead letter')
    expect(await lines('dead letter')).toEqual([])
    await deliver(id)
  })

  test('among many dead letters of the account, in one line', async () => {
    for (let n = 0; n < 11; n += 1) await deadEvent()
    const [line] = await lines('dead letter')
    expect(line?.detail).toBe('the partner was not told how 11 orders ended: http_4xx')
    expect(await putRight('dead letter')).toEqual([{ redeliver_all: '11' }])
    expect(await lines('dead letter')).toEqual([])
    const events = await database.sql`select id from supply.events where state not in ('delivered', 'dead')`
    for (const { id } of events) await deliver(id)
  })

  test('among over a hundred dead letters of many accounts, in a line for each account', async () => {
    const others = [await makePartner(database.sql), await makePartner(database.sql)]
    const dead = (count: number, to: Partner) =>
      database.sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`
        await tx`
          insert into supply.events
            (account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at, dead_at, dead_reason)
          select ${to.accountId}, ${to.accountId * 1000} + n, 'ord_' || n, 'order.completed', 'https://hooks.example/x', '{}',
            'dead', null, now(), 'http_4xx'
          from generate_series(1, ${count}::int) n`
      })
    await dead(98, partner)
    for (const other of others) await dead(1, other)
    expect((await lines('dead letter')).map(({ subject }) => subject.split(' ')[0]).sort()).toEqual([
      ...['account', 'event', 'event'],
    ])
    await database.sql`delete from supply.events where order_id >= 1000 and account_id = ${others[1]?.accountId ?? 0}`
    await dead(2, others[1] ?? partner)
    expect((await lines('dead letter')).map(({ subject }) => subject).sort()).toEqual(
      expect.arrayContaining([`account ${partner.accountId}`, `account ${others[1]?.accountId}`]),
    )
    await database.sql`delete from supply.events where state = 'dead'`
  })

  test('that is not taken for an hour', async () => {
    const id = await makeEvent(database.sql, partner)
    await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(503))
    await passes('59 minutes')
    await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(503))
    expect(await lines('result not told')).toEqual([])
    await passes('2 minutes')
    expect(await lines('result not told')).toMatchObject([{ subject: `event ${id}` }])
    await putRight('result not told')
    await deliver(id)
    expect(await lines('result not told', 'delivery late')).toEqual([])
  })

  test.each(['waiting', 'queued', 'ready'])('that was due ten minutes ago and is %s', async (state) => {
    const id = await makeEvent(database.sql, partner)
    if (state === 'waiting') {
      await finishAttempt(database.sql, await leaseAttempt(database.sql, id), answered(503))
      await passes('1 minute')
    }
    if (state === 'queued') {
      await database.sql`update supply.events set state = 'queued', lease_expires_at = null where id = ${id}`
    }
    await passes('9 minutes')
    expect(await lines('delivery late')).toEqual([])
    await passes('2 minutes')
    expect(await lines('delivery late')).toMatchObject([{ subject: `event ${id}` }])
    await putRight('delivery late')
    await deliver(id)
    expect(await lines('delivery late')).toEqual([])
  })

  test('whose attempt was lost, with no worker to look at it', async () => {
    const id = await makeEvent(database.sql, partner)
    await leaseAttempt(database.sql, id)
    await passes('11 minutes')
    expect(await lines('delivery late')).toMatchObject([
      { subject: `event ${id}`, remedy: 'select * from ops.worker_pools' },
    ])
    await putRight('delivery late')
    await deliver(id)
    expect(await lines('delivery late')).toEqual([])
  })

  test('among many that are late, in one line', async () => {
    const ids: string[] = []
    for (let n = 0; n < 11; n += 1) ids.push(await makeEvent(database.sql, partner))
    await passes('11 minutes')
    expect(await lines('delivery late')).toMatchObject([{ subject: `account ${partner.accountId}` }])
    expect(await putRight('delivery late')).toHaveLength(11)
    for (const id of ids) await deliver(id)
    expect(await lines('delivery late')).toEqual([])
  })
})

describe('the money of an account', () => {
  test('at or below a threshold that was set', async () => {
    const poor = await makePartner(database.sql, { name: 'Poor', balance: 5 })
    expect(await lines('balance low')).toEqual([])
    await operator().sql`select ops.set_low_balance_threshold(${poor.accountId}, 5)`
    expect((await lines('balance low'))[0]?.detail).toMatch(/^Poor has 5.00 RUB, its threshold is 5.00: /)
    await putRight('balance low')
    expect(await lines('balance low')).toEqual([])
    await operator().sql`select ops.set_low_balance_threshold(${poor.accountId}, 5)`
    await operator().sql`select ops.deposit(${poor.accountId}, 1, 'more')`
    expect(await lines('balance low')).toEqual([])
  })

  test('held by orders that are open for over an hour', async () => {
    await database.sql`delete from graphile_worker._private_jobs`
    const open = await database.sql`select id from supply.order_items where completed_at is null`
    for (const { id } of open) await answer(database.sql, id, completed())
    const first = await newItem()
    const second = await newItem()
    await passes('24 hours')
    await newItem()
    await passes('1 hour')
    expect(await lines('money held')).toMatchObject([
      { subject: `account ${partner.accountId}`, order_code: null },
    ])
    expect((await lines('money held'))[0]?.detail).toBe(
      `31.50 in 3 orders open for over an hour, 21.00 of it for over a day; the oldest is ${first.code}`,
    )
    await putRight('money held')
    await answer(database.sql, first.item, completed())
    await answer(database.sql, second.item, completed())
    expect((await lines('money held'))[0]?.detail).toMatch(
      /^10.50 in an order open for over an hour; the oldest/,
    )
  })
})

test('after all that, money and queue are well', async () => {
  const found = await audit(database.sql)
  expect(found.filter((row) => !/job|alert/.test(JSON.stringify(row)))).toEqual([])
})

test.each([
  ['sweep', 'sweeper late'],
  ['run_audit', 'audit late'],
])('a %s that has not succeeded for five minutes is listed until it succeeds', async (task, what) => {
  await database.sql`update supply.periodic_tasks set succeeded_at = now() - interval '6 minutes' where task = ${task}`
  await database.sql`delete from supply.audit_runs`
  expect(await lines(what)).toMatchObject([{ subject: `task ${task}` }])
  await database.sql.unsafe(`select work.${task}()`)
  expect(await lines(what)).toEqual([])
})

test('a supplier that gives the same code for two orders is an alert that names both, and the sale stands', async () => {
  const orders = []
  for (const supplierOrderId of ['theirs-1', 'theirs-2']) {
    const { body } = await place(database.sql, partner, { items: [{ productId: products.key, quantity: 1 }] })
    await answer(database.sql, body.items[0]?.id ?? '', {
      ...completed({ codes: ['SAME-CODE'] }),
      supplierOrderId,
    })
    orders.push(body.code)
  }
  const { body } = await place(database.sql, partner)
  await answer(database.sql, body.items[0]?.id ?? '', { ...completed(), supplierOrderId: 'theirs-2' })
  const twice = await lines('sold twice')
  expect(twice).toHaveLength(1)
  expect(twice[0]?.detail).toContain(`gave the same code for orders ${orders[0]} and ${orders[1]}`)
  expect(twice[0]?.detail).toContain('(2 such results in that hour)')
  const [count] =
    await database.sql`select count(*)::int as n from supply.orders where code = any(${orders}) and status = 'completed'`
  expect(count?.n).toBe(2)
  await putRight('sold twice')
  expect(await lines('sold twice')).toEqual([])
})

test('an offer that sells below its cost is a line, and its remedy ends that', async () => {
  await operator().sql`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', 11)`
  const below = await lines('offer below cost')
  expect(below).toHaveLength(1)
  expect(below[0]?.detail).toMatch(/sells for 10\.50 RUB and costs 11\.00/)
  await putRight('offer below cost')
  expect(await lines('offer below cost')).toEqual([])
  await operator().sql`select ops.set_min_margin(null, ${products.topUp})`
  await operator().sql`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101')`
})
