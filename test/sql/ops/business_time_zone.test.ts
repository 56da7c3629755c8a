import { beforeEach, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const { sql: superuser, operator: sql, partner, order } = itemTests({ isolated: true })

/** What the operator reads in a session of this time zone. */
const inSession = (zone: string, statement: string) =>
  sql().begin(async (tx) => {
    await tx.unsafe(`set local time zone '${zone}'`)
    return [...(await tx.unsafe(statement))]
  })

/** An order that was placed, and charged, at this time. */
async function orderAt(at: string): Promise<void> {
  const { code } = await order()
  await unchecked(superuser(), async (tx) => {
    await tx`update supply.orders set created_at = ${at} where code = ${code}`
    await tx`update supply.ledger l set created_at = ${at} from supply.orders o where o.code = ${code} and l.order_id = o.id`
  })
}

beforeEach(async () => {
  await superuser()`select api.record_time_zone('Asia/Vladivostok')`
  // The deposit of the partner is older than all orders.
  await unchecked(superuser(), (tx) => tx`update supply.ledger set created_at = '2026-01-01T00:00:00Z'`)
})

test('months and days begin in BUSINESS_TIME_ZONE, whatever the zone of the session is', async () => {
  // In Vladivostok, ten hours ahead of UTC, March has begun.
  await orderAt('2026-02-28T15:00:00Z')
  for (const zone of ['UTC', 'America/New_York', 'Asia/Vladivostok']) {
    const month = `select type, amount, zone from ops.statement(${partner().accountId}, '2026-03') where type = 'order_charge'`
    expect(await inSession(zone, month)).toEqual([{ type: 'order_charge', amount: '-10.50', zone: 'Asia/Vladivostok' }])
    expect(await inSession(zone, month.replace('2026-03', '2026-02'))).toEqual([])
    expect(await inSession(zone, 'select day::text, zone from ops.margins()')).toEqual([
      { day: '2026-03-01', zone: 'Asia/Vladivostok' },
    ])
    expect(await inSession(zone, 'select distinct zone from ops.today')).toEqual([{ zone: 'Asia/Vladivostok' }])
  }
})

test('the day of ops.today begins in BUSINESS_TIME_ZONE', async () => {
  const [row] = await superuser()`
    select date_trunc('day', now(), 'Asia/Vladivostok') - interval '1 minute' as before,
      date_trunc('day', now(), 'Asia/Vladivostok') as since`
  await orderAt(row?.before.toISOString())
  await orderAt(row?.since.toISOString())
  for (const zone of ['UTC', 'America/New_York'])
    expect(await inSession(zone, `select today from ops.today where what = 'orders'`)).toEqual([{ today: '1' }])
})

test('a time zone that PostgreSQL does not know is refused by name', async () => {
  await expect(superuser()`select api.record_time_zone('Mars/Olympus')`).rejects.toMatchObject({
    message: 'BUSINESS_TIME_ZONE: PostgreSQL does not know the time zone Mars/Olympus',
  })
})
