import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, type Call, completed, leaseCalls, record } from '../../support/items.ts'
import { audit } from '../../support/orders.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, operator, order, newItem } = itemTests({ isolated: true })

beforeEach(() => sql()`select work.check_origin()`)

async function leased(item: string): Promise<Call> {
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('the call is not due')
  return call
}

/** Has the database be on another timeline than the recorded one, as after a promotion. */
const failOver = () => sql()`update supply.origin set timeline = '000000FF'`
/** Has the database have had a failover, after which calls went on. */
const movedHome = () => sql()`update supply.origin set moved_at = now()`
const followTimeline = () => sql()`select work.follow_timeline()`
const lostOrders = async (codes: string[]) =>
  (await sql()`select * from api.report_lost_orders(${codes})`).map(({ lost_code }) => lost_code)
const lostCalls = async (calls: Call[], areRecorded: boolean) => {
  const rows = await sql()`select * from work.report_lost_calls(
    ${calls.map(({ item_id }) => item_id)}::uuid[], ${calls.map(({ lease_token }) => lease_token)}::uuid[],
    array_fill(${areRecorded}::boolean, array[${calls.length}::int]))`
  return rows.map(({ lost_item }) => lost_item)
}
const attention = () => operator()`select subject, remedy from ops.attention where what = 'lost in a failover'`
/** The code of an order that the database does not have. */
const gone = (number: number) => `ord_${number.toString(16).padStart(32, '0')}`
const remedy = 'select * from ops.recovery'

test('after a failover no supplier is called until a worker has seen the new timeline for five seconds', async () => {
  const item = await newItem()
  await failOver()
  expect(await leaseCalls(sql(), [item])).toEqual([])
  await followTimeline()
  expect(await leaseCalls(sql(), [item])).toEqual([])
  await sql()`select work.fill_places()`
  expect(await operator()`select from ops.queue where subject = ${item}`).toEqual([])
  await sql()`update supply.origin set moved_at = moved_at - interval '6 s'`
  await followTimeline()
  expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'put' }])
  expect(await attention()).toEqual([])
})

test('a database that was recovered to a point in time calls no supplier, however long a worker sees it', async () => {
  const item = await newItem()
  await failOver()
  await followTimeline()
  await sql()`update supply.origin set moved_at = moved_at - interval '6 s', database_oid = 1`
  await followTimeline()
  expect(await leaseCalls(sql(), [item])).toEqual([])
})

test('an acknowledged order that is missing is reported, and holds all calls until a recovery begins', async () => {
  const { code, item } = await order()
  await failOver()
  await followTimeline()
  expect(await lostOrders([code, gone(1), gone(2)])).toEqual([gone(1), gone(2)])
  expect(await lostOrders([gone(2), gone(3)])).toEqual([gone(2), gone(3)])
  await sql()`update supply.origin set moved_at = moved_at - interval '6 s'`
  await followTimeline()
  expect(await leaseCalls(sql(), [item])).toEqual([])
  expect(await attention()).toEqual([gone(1), gone(2), gone(3)].map((lost) => ({ subject: `order ${lost}`, remedy })))
  const [alert] = await operator()`select message, closed_at from ops.alerts`
  expect(alert?.message).toContain(`order ${gone(1)}, order ${gone(2)}`)
  expect(await audit(sql())).toEqual([])

  await operator()`select ops.begin_recovery('failover to a standby that lagged')`
  expect(await attention()).toEqual([])
  await closeAlerts(sql())
  const [closed] = await operator()`select closed_at from ops.alerts`
  expect(closed?.closed_at).not.toBeNull()
  expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'get' }])
})

test('an operator who confirms the server lets workers call suppliers as before', async () => {
  const item = await newItem()
  await failOver()
  await lostOrders([gone(1)])
  await operator()`select ops.confirm_origin()`
  expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'put' }])
  expect(await attention()).toEqual([])
})

test('a loss that is reported within an hour after calls went on holds them again', async () => {
  const item = await newItem()
  await movedHome()
  await lostOrders([gone(1)])
  expect(await leaseCalls(sql(), [item])).toEqual([])
  expect(await attention()).toHaveLength(1)
})

test('a loss that is reported while a worker records the new timeline is not overwritten', async () => {
  const item = await newItem()
  await failOver()
  await followTimeline()
  await sql()`update supply.origin set moved_at = moved_at - interval '6 s'`
  await whileHeld(
    sql(),
    (holder) => holder`select * from api.report_lost_orders(${[gone(1)]})`,
    () => followTimeline(),
  )
  expect(await attention()).toHaveLength(1)
  expect(await leaseCalls(sql(), [item])).toEqual([])
})

test('two processes that report losses at once to a database without an origin keep both', async () => {
  await sql()`delete from supply.origin`
  await whileHeld(
    sql(),
    (holder) => holder`select * from api.report_lost_orders(${[gone(1)]})`,
    () => lostOrders([gone(2)]),
  )
  expect((await attention()).map(({ subject }) => subject)).toEqual([`order ${gone(1)}`, `order ${gone(2)}`])
})

test('a report of a loss holds no calls if there was no failover, nor by what no order can have as its code', async () => {
  const item = await newItem()
  expect(await lostOrders([gone(1)])).toEqual([])
  const missing = { item_id: randomUUID(), lease_token: randomUUID() } as Call
  expect(await lostCalls([missing], false)).toEqual([])
  await movedHome()
  expect(await lostOrders(['nonsense', gone(1).toUpperCase(), `${gone(1)}\n`])).toEqual([])
  await sql()`update supply.origin set moved_at = now() - interval '61 minutes'`
  expect(await lostOrders([gone(1)])).toEqual([])
  expect(await attention()).toEqual([])
  expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'put' }])
})

test('a call is lost when its lease is missing, or when its recorded result is', async () => {
  const item = await newItem()
  await movedHome()
  const call = await leased(item)
  const other = { ...call, item_id: randomUUID(), lease_token: randomUUID() }
  expect(await lostCalls([call], false)).toEqual([])
  expect(await attention()).toEqual([])
  expect(await lostCalls([call, other], false)).toEqual([other.item_id])
  expect(await lostCalls([call], true)).toEqual([item])
  expect((await attention()).map(({ subject }) => subject)).toEqual([`item ${item}`, `item ${other.item_id}`].sort())
})

test('a recorded result is never reported as lost, whatever its verdict', async () => {
  await movedHome()
  const item = await newItem()
  const first = await leased(item)
  await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${item}`
  const second = await leased(item)
  expect(await record(sql(), first, completed())).not.toBe('busy')
  expect(await record(sql(), second, completed())).toBe('settled')
  const settled = await newItem()
  await answer(sql(), settled, completed())
  expect(await lostCalls([first, second], true)).toEqual([])
  expect(await attention()).toEqual([])
})
