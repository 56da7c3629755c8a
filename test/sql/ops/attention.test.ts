import { describe, expect, test } from 'vitest'
import { answered, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, processing, renewCodes, unknown } from '../../support/items.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { timePasses } from '../../support/sql/passing_time.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const scene = itemTests({ balance: 100_000, isolated: true })
const { sql, operator, partner, order, newItem, keys, newEvent, newEvents, attempt, push } = scene

type Line = { what: string; subject: string; detail: string; remedy: string; order_code: string | null }

const passes = (interval: string) => timePasses(sql(), interval)
const reply = (item: string, result: object) => answer(sql(), item, result)

/** The lines of ops.attention of these kinds. */
async function lines(...kinds: string[]): Promise<Line[]> {
  return [
    ...(await operator()<Line[]>`
      select what, subject, detail, remedy, order_code from ops.attention
      where ${kinds.length === 0} or what = any(${kinds})`),
  ]
}

/** The one line of a kind. */
async function onlyLine(kind: string): Promise<Line> {
  const found = await lines(kind)
  expect(found).toHaveLength(1)
  return found[0] as Line
}

/** Runs the remedy of the one line of a kind, as an operator would paste it: it changes nothing. */
async function remedy(kind: string): Promise<object[]> {
  const { remedy: statement } = await onlyLine(kind)
  return await operator().begin('read only', async (tx) => [...(await tx.unsafe(statement))])
}

/** Calls the first function that the detail of the one line of a kind names, after which there is no line. */
async function fix(kind: string): Promise<void> {
  await remedy(kind)
  const [call] = /ops\.\w+\([^)]*\)/.exec((await onlyLine(kind)).detail) ?? []
  await operator().unsafe(`select ${call?.replace('note', `'settled with the supplier'`)}`)
  expect(await lines(kind)).toEqual([])
}

async function deadEvents(count: number): Promise<string[]> {
  const ids = await newEvents(count)
  for (const id of ids) await attempt(id, answered(410))
  return ids
}

test('nothing needs attention while orders are placed, polled and delivered', async () => {
  const item = await newItem()
  await reply(item, processing())
  await reply(item, completed())
  await attempt(await newEvent(), answered(200))
  await newItem()
  expect(await lines()).toEqual([])
})

describe('an item needs attention', () => {
  test('when it is stuck', async () => {
    const { code, item } = await order()
    await reply(item, processing())
    await passes('25 hours')
    await reply(item, processing())
    expect(await onlyLine('item stuck')).toEqual({
      ...{ what: 'item stuck', subject: `item ${item}`, order_code: code },
      detail:
        '1 × 100 credits at first, still open after the deadline: ask the supplier first; ops.settle_item, as failed, refunds it',
      remedy: `select * from ops.order_story('${item}')`,
    })
    expect((await remedy('item stuck')).length).toBeGreaterThan(3)
    expect(await lines('item stuck')).toHaveLength(1)
    await operator()`select ops.settle_item(${item}, 'failed', reason => 'a test')`
    expect(await lines('item stuck')).toEqual([])
  })

  test.each([
    ['completed', ['A'], 'as failed, delivers the received code and refunds the rest', 1],
    ['completed', ['A', 'B'], 'as failed, delivers the 2 received codes and refunds the rest', 2],
    ['completed', ['A', 'B', 'C', 'D'], 'as failed and with no codes, refunds all', 0],
    ['completed', [], 'ask the supplier first; ops.settle_item, as failed, refunds it', 0],
    ['failed', ['A', 'B', 'C'], 'as completed, delivers the received codes', 3],
  ])('when it is held, because its supplier said %s with the codes %j of 3', async (said, codes, advice, delivered) => {
    const { item } = await keys(3)
    expect(await reply(item, said === 'failed' ? failed({ codes }) : completed({ codes }))).toBe('held')
    expect((await onlyLine('item held')).detail).toContain(advice)
    await remedy('item held')
    const status = delivered === 3 ? 'completed' : 'failed'
    await operator()`select ops.settle_item(${item}, ${status}, ${codes.length > 3 ? [] : null}::text[], 'a test')`
    expect(await operator()`select message from ops.alerts where kind = 'item_held'`).toMatchObject([
      {
        message: expect.stringMatching(
          / is held for an operator: .*; of 1 such results, 0 still wait for an operator$/,
        ),
      },
    ])
    expect(await lines('item held')).toEqual([])
    expect(await operator()`select codes_delivered, status from ops.order_items where item_id = ${item}`).toEqual([
      { codes_delivered: delivered, status: delivered === 0 ? 'failed' : 'completed' },
    ])
  })

  test('15 minutes after the last usable answer', async () => {
    const { code, item } = await order()
    await reply(item, processing())
    await passes('20 minutes')
    await reply(item, processing())
    await passes('14 minutes')
    await reply(item, unknown())
    expect(await lines('outcome unknown')).toEqual([])
    await passes('2 minutes')
    expect(await onlyLine('outcome unknown')).toEqual({
      ...{ what: 'outcome unknown', subject: `item ${item}`, order_code: code },
      detail: '1 × 100 credits at first, no usable answer (timeout): workers keep asking; ops.poll_now asks at once',
      remedy: `select * from ops.order_story('${item}')`,
    })
    await remedy('outcome unknown')
    await reply(item, completed())
    expect(await lines('outcome unknown')).toEqual([])
  })

  test.each<[what: string, results: object[], wait: string, last: ((item: string) => object) | null]>([
    ['item held', [completed({ codes: ['A'] })], '16 minutes', null],
    ['item stuck', [processing(), processing()], '25 hours', null],
    ['outcome unknown', [unknown()], '16 minutes', (item) => completed({ codes: [`${item} 1`, `${item} 2`] })],
  ])(
    'with ten others in one line for the supplier, whose remedy lists or asks for all: %s',
    async (what, results, wait, last) => {
      const made: string[] = []
      for (let n = 0; n < 11; n += 1) made.push((await keys(2)).item)
      for (const [index, result] of results.entries()) {
        if (index > 0) await passes(wait)
        for (const item of made) await reply(item, result)
      }
      if (results.length === 1) await passes(wait)
      expect(await onlyLine(what)).toMatchObject({ subject: 'supplier first', order_code: null })
      await remedy(what)
      await renewCodes(sql())
      for (const item of made) {
        if (last !== null) await reply(item, last(item))
        else await operator()`select ops.settle_item(${item}, 'failed', reason => 'a test')`
      }
      expect(await lines(what)).toEqual([])
    },
  )
})

test('a contradicting result needs attention until an operator acknowledges it', async () => {
  const item = await newItem()
  await reply(item, completed())
  const contradict = (codes: string[]) => push('first', item, failed({ codes }))
  await contradict([])
  const { detail } = await onlyLine('contradicting result')
  expect(detail).toContain(
    `supplier first says failed about item ${item}, which is completed at first; ops.acknowledge('`,
  )
  await fix('contradicting result')
  expect(await operator()`select acknowledged_by, note from ops.alerts`).toEqual([
    { acknowledged_by: operator.login, note: 'settled with the supplier' },
  ])
  await contradict(['another'])
  expect((await onlyLine('contradicting result')).detail).toContain('(2 such results in that hour)')
})

describe('an event needs attention', () => {
  test('when it is a dead letter', async () => {
    const [id = ''] = await deadEvents(1)
    const line = await onlyLine('dead letter')
    expect(line).toMatchObject({
      ...{ subject: `event ${id}`, remedy: `select * from ops.delivery_attempts where event_id = '${id}'` },
      detail:
        `the partner did not receive order.completed of order ${line.order_code}: http_4xx at ` +
        `https://hooks.example/x; ops.redeliver('${id}') sends it again`,
    })
    await fix('dead letter')
  })

  test('with ten other dead letters in one line for the account', async () => {
    await deadEvents(11)
    const detail = 'the partner did not receive the results of 11 orders: http_4xx; the remedy counts them'
    expect(await onlyLine('dead letter')).toMatchObject({ detail })
    expect(await remedy('dead letter')).toEqual([{ redeliver_all: '11' }])
    expect(await lines('dead letter')).toHaveLength(1)
  })

  test('with over a hundred dead letters of all accounts in a line for each account with several', async () => {
    const [other, third] = [await makePartner(sql()), await makePartner(sql())]
    const subjects = async () => (await lines('dead letter')).map(({ subject }) => subject).sort()
    const dead = (count: number, to: Partner) =>
      unchecked(
        sql(),
        (tx) => tx`
          insert into supply.events
            (account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at, dead_at, dead_reason)
          select ${to.accountId}, 1000000 + ${to.accountId * 1000} + n, 'ord_' || n, 'order.completed', 'https://hooks.example/x',
            '{}', 'dead', null, now(), 'http_4xx'
          from generate_series(1, ${count}::int) n`,
      )
    await dead(98, partner())
    for (const each of [other, third]) await dead(1, each)
    expect((await subjects()).map((subject) => subject.split(' ')[0])).toEqual(['account', 'event', 'event'])
    await sql()`delete from supply.events where account_id = ${third.accountId}`
    await dead(2, third)
    expect(await subjects()).toEqual(
      expect.arrayContaining([`account ${partner().accountId}`, `account ${third.accountId}`]),
    )
  })

  test('an hour after its first attempt', async () => {
    const id = await newEvent()
    await attempt(id, answered(503))
    await passes('59 minutes')
    await attempt(id, answered(503))
    expect(await lines('result not delivered')).toEqual([])
    await passes('2 minutes')
    expect(await lines('result not delivered')).toMatchObject([{ subject: `event ${id}` }])
    await remedy('result not delivered')
    await attempt(id, answered(200))
    expect(await lines('result not delivered', 'delivery late')).toEqual([])
  })

  test.each(['waiting', 'queued', 'ready', 'sending'])('ten minutes after it was due, %s', async (state) => {
    const id = await newEvent()
    if (state === 'waiting') {
      await attempt(id, answered(503))
      await passes('1 minute')
    }
    if (state === 'queued') await sql()`update supply.events set state = 'queued', lease_expires_at = null`
    if (state === 'sending') await leaseAttempt(sql(), id)
    await passes('9 minutes')
    expect(await lines('delivery late')).toEqual([])
    await passes('2 minutes')
    expect(await lines('delivery late')).toMatchObject([{ subject: `event ${id}` }])
    await remedy('delivery late')
    await attempt(id, answered(200))
    expect(await lines('delivery late')).toEqual([])
  })

  test('with ten other late events in one line for the account', async () => {
    const ids = await newEvents(11)
    await passes('11 minutes')
    expect(await lines('delivery late')).toMatchObject([{ subject: `account ${partner().accountId}` }])
    expect(await remedy('delivery late')).toHaveLength(11)
    for (const id of ids) await attempt(id, answered(200))
    expect(await lines('delivery late')).toEqual([])
  })
})

test('a proposal needs attention until another login decides', async () => {
  const { accountId } = partner()
  await sql()`select ops.set_approval(100, 'RUB')`
  await operator()`select ops.deposit(${accountId}, 101, 'invoice 7')`
  const line = await onlyLine('proposal open')
  expect(line.subject).toBe(`account ${accountId}`)
  expect(line.detail).toMatch(
    /^alice_\w+ proposed deposit of 101\.00 RUB under reference 'invoice 7': another login books it with ops\.approve\(\d+\)/,
  )
  expect(await remedy('proposal open')).toMatchObject([{ reference: 'invoice 7', state: 'open' }])
  await sql()`select ops.approve(proposal_id) from ops.proposals where state = 'open'`
  await sql()`select ops.set_approval(null, 'RUB')`
  expect(await lines('proposal open')).toEqual([])
})

describe('the money of an account needs attention', () => {
  test('at or below the threshold that was set', async () => {
    const poor = await makePartner(sql(), { name: 'Poor', balance: 5 })
    expect(await lines('balance low')).toEqual([])
    const setThreshold = () => operator()`select ops.set_low_balance_threshold(${poor.accountId}, 5)`
    await setThreshold()
    expect((await onlyLine('balance low')).detail).toMatch(/^Poor has 5.00 RUB, its threshold is 5.00: /)
    expect(await remedy('balance low')).toMatchObject([{ account_id: `${poor.accountId}`, balance: '5.00' }])
    await operator()`select ops.deposit(${poor.accountId}, 1, 'more')`
    expect(await lines('balance low')).toEqual([])
  })

  test('when orders that are open for over an hour hold it', async () => {
    const [first, second] = [await order(), await order()]
    await passes('24 hours')
    await newItem()
    await passes('1 hour')
    expect(await onlyLine('money held')).toMatchObject({
      ...{ subject: `account ${partner().accountId}`, order_code: null },
      detail: `31.50 in 3 orders open for over an hour, 21.00 of it for over a day; the oldest is ${first.code}`,
    })
    await remedy('money held')
    for (const { item } of [first, second]) await reply(item, completed())
    expect((await onlyLine('money held')).detail).toMatch(/^10.50 in an order open for over an hour; the oldest/)
  })
})

test.each([
  ['sweep', 'sweeper late'],
  ['run_audit', 'audit late'],
])('a %s that has not succeeded for five minutes needs attention until it succeeds', async (task, what) => {
  await sql()`update supply.periodic_tasks set succeeded_at = now() - interval '6 minutes' where task = ${task}`
  await sql()`delete from supply.audit_runs`
  expect(await lines(what)).toMatchObject([{ subject: `task ${task}` }])
  await sql().unsafe(`select work.${task}()`)
  expect(await lines(what)).toEqual([])
})

test('a code that a supplier gives for two orders needs attention, and both sales stand', async () => {
  const orders: string[] = []
  for (const supplierOrderId of ['theirs-1', 'theirs-2']) {
    const { code, item } = await keys(1)
    await reply(item, { ...completed({ codes: ['SAME-CODE'] }), supplierOrderId })
    orders.push(code)
  }
  const third = await order()
  await reply(third.item, { ...completed(), supplierOrderId: 'theirs-2' })
  const { detail } = await onlyLine('sold twice')
  expect(detail).toContain(`; supplier first gave the same order id for orders ${orders[1]} and ${third.code} (2`)
  await sql()`select work.collect_alerts()`
  const fourth = await order()
  await reply(fourth.item, { ...completed(), supplierOrderId: 'theirs-1' })
  await sql()`update supply.periodic_tasks set succeeded_at = null where task = 'collect_alerts'`
  const named = async () => {
    const [alert] = await sql()`select message from ops.alerts`
    return [...orders, third.code, fourth.code].filter((code) => alert?.message.includes(code))
  }
  expect(await named()).toHaveLength(4)
  await sql()`select work.collect_alerts()`
  expect(await sql()`select from supply.occurrences`).toEqual([])
  expect(await named()).toHaveLength(4)
  expect(detail).toContain(`gave the same code for orders ${orders[0]} and ${orders[1]}`)
  const sold = await sql()`select from supply.orders where code = any(${orders}) and status = 'completed'`
  expect(sold).toHaveLength(2)
  await fix('sold twice')
})

test('an offer that sells below its cost needs attention, and its remedy ends that', async () => {
  await operator()`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', 11, allow => '{below_cost}')`
  expect((await onlyLine('offer below cost')).detail).toMatch(/sells for 10\.50 RUB and costs 11\.00/)
  await fix('offer below cost')
  await operator()`select ops.set_min_margin(null, ${products.topUp})`
})

test('so does one that sells below its cost by a price list that a partner has, once for its lowest price', async () => {
  const allow = '{below_cost,large_change}'
  await operator()`select ops.upsert_offer(${products.topUp}, 'first', 'sku-101', 9)`
  await operator()`select ops.upsert_price_list('gold', 0.2, ${allow})`
  await operator()`select ops.upsert_price_list('silver', 0.5, ${allow})`
  await operator()`select ops.set_list_price('silver', ${products.topUp}, 1, allow => ${allow})`
  expect(await lines('offer below cost')).toEqual([])
  await operator()`select ops.set_account_list(${partner().accountId}, 'gold', ${allow})`
  expect((await onlyLine('offer below cost')).detail).toContain('sells for 8.40 RUB in price list gold and costs 9.00')
  await operator()`select ops.set_list_price('gold', ${products.topUp}, 8, 10, ${allow})`
  await operator()`select ops.set_list_price('gold', ${products.topUp}, 9.50)`
  expect((await onlyLine('offer below cost')).detail).toContain('8.00 RUB from 10 units on in price list gold')
  await fix('offer below cost')
  await operator()`select ops.set_min_margin(null, ${products.topUp})`
})
