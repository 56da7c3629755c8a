import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { makePartner, products } from '../../support/partner.ts'
import { rechained } from '../../support/sql/passing_time.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const { sql, database, order, partner, operator } = itemTests()
const coins = 320
let month = 2

beforeAll(async () => {
  await sql()`select ops.upsert_product(${coins}, 'space-trader', 'Coins', 7.00, 'RUB', 'id_only', '[]')`
  await sql()`select ops.upsert_offer(${coins}, 'first', 'a', 5.25)`
})
// Each test has a month of its own: what is closed stays.
beforeEach(async () => {
  month += 1
  await booked(partner().accountId, '2009-01-01T00:00:00Z')
})
const name = (of = month) => `20${10 + Math.floor((of - 1) / 12)}-${String(((of - 1) % 12) + 1).padStart(2, '0')}`
const items = (quantity = 1, productId = coins) => ({ items: [{ productId, quantity }] })

/** Moves what is booked for an account, and what ended of it, and is younger than this year, to a time. */
const booked = (account: number, at: string) =>
  unchecked(sql(), async (tx) => {
    await tx`update supply.ledger set created_at = ${at} where account_id = ${account} and created_at > '2021-01-01'`
    await tx`
      update supply.order_items i set completed_at = ${at} from supply.orders o
      where o.id = i.order_id and o.account_id = ${account} and i.completed_at > '2021-01-01'`
    await rechained(tx)
  })

type Figures = { [figure: string]: unknown }
const figures = async (of = name(), account = partner().accountId): Promise<Figures | undefined> => {
  const [row] = await sql()`
    select partner, currency, orders, sold::float, refunded::float, adjusted::float, cost::float, margin::float,
      items_without_cost, other::float, closed, zone
    from ops.month(${of}) where account_id = ${account}`
  return row
}
const close = (of = name(), by = operator()) => by`select ops.close_month(${of})`
const deliver = async (quantity = 1, productId = coins) => {
  const placed = await order(items(quantity, productId))
  await answer(sql(), placed.item, completed())
  return placed
}
const adjust = (amount: number, reference: string, code: string | null = null, by = operator()) =>
  by`select ops.adjust(${partner().accountId}, ${amount}, ${reference}, 'a test', order_code => ${code}) as balance`

describe('an adjustment for an order', () => {
  test('shows its order to the partner and to operators, and lowers the margin', async () => {
    const { code } = await deliver(2)
    const notices = await operator.noticesOf((by) => adjust(3, 'ticket 1', code, by))
    expect(notices).toEqual([expect.stringMatching(`→ 989.00 RUB; for order ${code}$`)])
    expect(await lastLogged(sql())).toMatchObject({ action: 'adjust', detail: { order_code: code, before: 986 } })
    const [seen] = await sql()`select api.list_transactions(${partner().accountId}, 1) -> 'transactions' -> 0 as entry`
    expect(seen?.entry).toMatchObject({ type: 'adjustment', amount: 3, orderCode: code, reference: 'ticket 1' })
    const [{ refunded_order_code: known } = {}] = await sql()`
      select refunded_order_code from ops.ledger where account_id = ${partner().accountId} order by seq desc limit 1`
    expect(known).toBe(code)
    const stated =
      await sql()`select order_code from ops.statement(${partner().accountId}) where reference = 'ticket 1'`
    expect(stated).toMatchObject([{ order_code: code }])
    const story = await sql()`select what, detail from ops.order_story(${code}) where what = 'adjusted by hand'`
    expect(story).toMatchObject([{ detail: expect.stringContaining('3.00 RUB; the balance is 989.00; ticket 1') }])
    const [margin] = await sql()`
      select sold::float, refunded::float, adjusted::float, cost::float, margin::float from ops.margins()
      where account_id = ${partner().accountId}`
    expect(margin).toEqual({ sold: 14, refunded: 0, adjusted: 3, cost: 10.5, margin: 0.5 })
  })

  test('is booked once for this order, and is refused for an order of another account', async () => {
    const { code } = await deliver()
    const other = await deliver()
    const stranger = await order(items(), await makePartner(sql(), { name: 'Stranger' }))
    await adjust(1, 'ticket 2', code)
    expect(await operator.noticesOf((by) => adjust(1, 'Ticket 2 ', code, by))).toMatchObject([/nothing changed/])
    await expect(adjust(1, 'ticket 2', other.code)).rejects.toMatchObject(refusals.taken)
    await expect(adjust(1, 'ticket 2')).rejects.toThrow(`as an adjustment of order ${code}`)
    await expect(adjust(1, 'ticket 3', stranger.code)).rejects.toMatchObject(refusals.wrongArgument)
    await expect(adjust(1, 'ticket 3', 'ord_none')).rejects.toMatchObject(refusals.unknown)
  })

  test('keeps its order while it waits for a second login', async () => {
    const { code } = await deliver()
    await sql()`select ops.set_approval(5, 'RUB')`
    const [asked] = await adjust(6, 'ticket 4', code)
    await sql()`select ops.set_approval(null, 'RUB')`
    expect(asked?.balance).toBeNull()
    const [proposal] = await sql()`select proposal_id, order_code from ops.proposals where reference = 'ticket 4'`
    expect(proposal?.order_code).toBe(code)
    await sql()`select ops.approve(${proposal?.proposal_id})`
    expect((await figures(new Date().toISOString().slice(0, 7)))?.adjusted).toBe(6)
  })
})

describe('ops.month', () => {
  test('shows what was booked in a month, with the cost of the items that ended in it', async () => {
    const sold = await deliver(4)
    await booked(partner().accountId, `${name()}-05T00:00:00Z`)
    const open = await order(items(2))
    const late = await order(items(3))
    await booked(partner().accountId, `${name()}-29T23:00:00Z`)
    await answer(sql(), late.item, failed())
    await deliver(1, products.topUp)
    await sql()`select ops.refund_item(${sold.item}, 7, ${`r ${name()}`}, 'late')`
    await adjust(2.5, `a ${name()}`, sold.code)
    await adjust(-40, `fee ${name()}`)
    const next = name(month + 1)
    await booked(partner().accountId, `${next}-01T00:00:00Z`)
    const same = { partner: 'A partner', currency: 'RUB', closed: false, zone: 'UTC' }
    expect(await figures()).toEqual({
      ...{ ...same, orders: 3, sold: 63, refunded: 0, adjusted: 0 },
      ...{ cost: 21, margin: 42, items_without_cost: 0, other: 0 },
    })
    expect(await figures(next)).toEqual({
      ...{ ...same, orders: 1, sold: 10.5, refunded: 28, adjusted: 2.5 },
      ...{ cost: 0, margin: -20, items_without_cost: 1, other: -40 },
    })
    expect(await figures('2009-01')).toMatchObject({ orders: 0, other: 1000 })
    expect((await sql()`select status from ops.order_items where item_id = ${open.item}`)[0]?.status).toBe('processing')
    month += 1
  })

  test('agrees with ops.statement to the kopeck, for bookings at any moment and clocks that went back', async () => {
    const account = partner().accountId
    for (let n = 0; n < 25; n += 1) {
      const { code, item } = await deliver((n % 3) + 1)
      if (n % 4 === 0) await sql()`select ops.refund_item(${item}, ${(7 * (n + 1)) / 100}, ${`p ${n}`}, 'a test')`
      if (n % 5 === 0) await adjust((13 * (n + 1)) / 100, `q ${n}`, code)
      if (n % 7 === 0) await adjust(-(n + 1) / 100, `s ${n}`)
      await answer(sql(), (await order(items(1))).item, failed())
    }
    // The clock goes back now and then, also across the edge of a month.
    await unchecked(sql(), async (tx) => {
      await tx`
        update supply.ledger set created_at = '2022-03-20'::timestamptz + seq * interval '7 hours'
          - (seq % 11 = 0)::int * interval '9 days'
        where account_id = ${account} and created_at > '2021-01-01'`
      await rechained(tx)
    })
    const sums = await sql()`
      select m.*, s.* from (values ('2022-02'), ('2022-03'), ('2022-04'), ('2022-05')) as v (month)
      cross join lateral (
        select coalesce(sum(m.sold), 0)::numeric(14, 2) as sold, coalesce(sum(m.refunded), 0) as refunded,
          coalesce(sum(m.other - m.sold + m.refunded + m.adjusted), 0)::numeric(14, 2) as moved, coalesce(sum(m.orders), 0)::int as orders
        from ops.month(v.month) m where m.account_id = ${account}) as m
      cross join lateral (
        select -coalesce(sum(s.amount) filter (where s.type = 'order_charge'), 0)::numeric(14, 2) as charged,
          coalesce(sum(s.amount) filter (where s.type = 'summary'), 0) ::numeric(14, 2) as summary,
          (count(*) filter (where s.type = 'order_charge'))::int as charges
        from ops.statement(${account}, v.month) s) as s`
    for (const row of sums) {
      expect([row.sold, row.moved, row.orders]).toEqual([row.charged, row.summary, row.charges])
    }
    expect(sums.map(({ orders }) => orders > 0)).toEqual([false, true, true, false])
    expect(sums.reduce((sum, { orders }) => sum + orders, 0)).toBe(50)
  })
})

describe('a closed month', () => {
  test('keeps its rows and its zone, and what is booked later belongs to the month of its booking', async () => {
    const { item, code } = await deliver(2)
    await booked(partner().accountId, `${name()}-15T00:00:00Z`)
    const before = await figures()
    const notices = await operator.noticesOf((by) => close(name(), by))
    expect(notices).toEqual([
      expect.stringMatching(`^month ${name()} \\(UTC\\) is closed, .*1 accounts in RUB: sold 14.00, refunded 0.00`),
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'close_month', subject: `month ${name()}` })
    await sql()`select ops.refund_item(${item}, 7, ${`r ${name()}`}, 'late')`
    await adjust(1, `a ${name()}`, code)
    await sql()`select ops.set_low_balance_threshold(${partner().accountId}, 0)`
    await sql()`select api.record_time_zone('Asia/Tokyo')`
    expect(await figures()).toEqual({ ...before, closed: true })
    // The next month begins where the closed one ends, whatever the zone is now: no entry is counted twice or never.
    const [bounds] = await sql()`select from_at, zone from core.business_month(${name(month + 1)})`
    expect(bounds).toEqual({ from_at: new Date(`${name(month + 1)}-01T00:00:00Z`), zone: 'Asia/Tokyo' })
    await sql()`select api.record_time_zone('UTC')`
    expect(await operator.noticesOf((by) => close(name(), by))).toMatchObject([/is closed already, since .* changed$/])
    expect(await sql()`select * from ops.audit_all()`).toHaveLength(0)
  })

  test('is compared with the ledger by ops.audit_all', async () => {
    await deliver(2)
    await booked(partner().accountId, `${name()}-15T00:00:00Z`)
    await close()
    await unchecked(
      sql(),
      (tx) => tx`update supply.ledger set created_at = '2008-01-02' where account_id = ${partner().accountId}`,
    )
    expect(await sql()`select * from ops.audit where check_name like 'closed%'`).toHaveLength(0)
    const [found] = await sql()`select * from ops.audit_all() where check_name like 'closed%'`
    expect(found).toMatchObject({
      check_name: 'closed_month_agrees_with_the_ledger',
      detail: expect.stringContaining(`month ${name()} of account ${partner().accountId} was closed with orders 1`),
    })
    await booked(partner().accountId, `${name()}-15T00:00:00Z`)
    await unchecked(sql(), async (tx) => {
      await tx`
        update supply.ledger set created_at = ${`${name()}-15`}
        where account_id = ${partner().accountId} and seq > 1`
      await rechained(tx)
    })
    expect(await sql()`select * from ops.audit_all()`).toHaveLength(0)
  })

  test('is over, has a name, and is closed by one of two calls at the same moment', async () => {
    const running = new Date().toISOString().slice(0, 7)
    await expect(close(running)).rejects.toThrow(`month ${running} is not over`)
    for (const wrong of ['2019-13', '0000-01']) await expect(close(wrong)).rejects.toThrow('is no month')
    const hint = "Its arguments and what it does: select * from ops.help('month')"
    await expect(operator()`select * from ops.month('x')`).rejects.toMatchObject({ hint })
    await expect(sql()`select ops.close_month(null)`).rejects.toMatchObject(refusals.wrongArgument)
    await deliver()
    await booked(partner().accountId, `${name()}-15T00:00:00Z`)
    const said = await operator.noticesOf((by) => Promise.all([close(name(), by), close(name(), by)]))
    expect(said.map((text) => /changed$|anymore|any more/.exec(text)?.[0]).sort()).toEqual(['any more', 'changed'])
    expect(await sql()`select from supply.closed_months where month = ${name()}`).toHaveLength(1)
    await expect(
      sql().begin('isolation level repeatable read', (tx) => tx`select ops.close_month(${name()})`),
    ).rejects.toMatchObject(refusals.wrongState)
  })

  test('waits for whoever may have booked in it, and not for readers', async () => {
    const writer = await sql().reserve()
    const reader = await sql().reserve()
    try {
      await reader`begin isolation level repeatable read`
      await reader`select * from ops.ledger limit 1`
      await writer`begin`
      await writer`select ops.deposit(${partner().accountId}, 5, ${`d ${name()}`})`
      let isClosed = false
      const closing = close().then(() => {
        isClosed = true
      })
      await expect
        .poll(
          () => sql()`
            select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
          { interval: 10 },
        )
        .not.toHaveLength(0)
      expect(isClosed).toBe(false)
      await writer`commit`
      await closing
    } finally {
      await Promise.all([writer`rollback`, reader`rollback`])
      writer.release()
      reader.release()
    }
  })

  describe('changes for no role', () => {
    const roles = ['operator', 'support', 'trade', 'finance', 'analyst', 'worker', 'api'] as const
    const login = (role: string) => `month_${role}_${process.pid}`
    afterAll(async () => {
      for (const role of roles) await sql().unsafe(`drop role if exists ${login(role)}`)
    })

    test.each([...roles, 'owner'] as const)('%s', async (role) => {
      if (role !== 'owner') await sql().unsafe(`create role ${login(role)} login password 'x' in role supply_${role}`)
      const url = Object.assign(new URL(database.url), { username: login(role), password: 'x' })
      const client = role === 'owner' ? sql() : postgres(url.href, { max: 1, onnotice: () => {} })
      await deliver()
      await booked(partner().accountId, `${name()}-15T00:00:00Z`)
      await close()
      const before = await figures()
      for (const change of [
        `update supply.closed_months set zone = 'Asia/Tokyo'`,
        `update supply.closed_months set figures = '{}' where month = '${name()}'`,
        `delete from supply.closed_months where month = '${name()}'`,
        'truncate supply.closed_months',
        `insert into supply.closed_months (month, zone, from_at, to_at, figures)
          select month, zone, from_at, to_at, '{}' from supply.closed_months where month = '${name()}'`,
      ]) {
        const refused = await client.unsafe(change).catch((error) => error.code)
        expect(refused, change).toMatch(role === 'owner' ? /^23/ : /^42501$/)
      }
      expect(await figures()).toEqual(before)
      if (role !== 'owner') await client.end()
    })
  })
})
