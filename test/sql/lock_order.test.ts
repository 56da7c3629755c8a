import { describe, expect, test } from 'vitest'
import { answered, claimAttempts, finishAttempts, makeEvents } from '../support/events.ts'
import { itemTests } from '../support/item_tests.ts'
import { claimCalls, completed, record } from '../support/items.ts'
import { whileHeld } from '../support/locks.ts'

// Two that lock the same rows never wait for each other, because both lock them in the same order.
const { sql, partner, order } = itemTests()

/** Two items or events of the partner, the smaller id first. */
async function two(make: () => Promise<string[]>): Promise<[string, string]> {
  const [first = '', second = ''] = (await make()).sort()
  return [first, second]
}

const newItems = async () => [(await order()).item, (await order()).item]
const newEvents = () => makeEvents(sql(), partner(), 2)

const lockItem = (session: ReturnType<typeof sql>, id: string) =>
  session`select from supply.order_items where id = ${id} for no key update skip locked`
const lockEvent = (session: ReturnType<typeof sql>, id: string) =>
  session`select from supply.events where id = ${id} for no key update skip locked`

describe('who waits for the first of several rows has locked no later one', () => {
  test('of items whose calls begin', async () => {
    const [first, second] = await two(newItems)
    const begun = await whileHeld(
      sql(),
      (holder) => lockItem(holder, first),
      () => sql()`select * from work.begin_calls(${[second, first]})`,
      async () => expect(await lockItem(sql(), second)).toHaveLength(1),
    )
    expect(begun).toHaveLength(2)
  })

  test('of events whose attempts begin', async () => {
    const [first, second] = await two(newEvents)
    const begun = await whileHeld(
      sql(),
      (holder) => lockEvent(holder, first),
      () => sql()`select * from work.begin_deliveries(${[second, first]})`,
      async () => expect(await lockEvent(sql(), second)).toHaveLength(1),
    )
    expect(begun).toHaveLength(2)
  })

  test('of events whose attempts end', async () => {
    const [first, second] = await two(newEvents)
    const attempts = await claimAttempts(sql(), [second, first])
    const verdicts = await whileHeld(
      sql(),
      (holder) => lockEvent(holder, first),
      () => finishAttempts(sql(), attempts, answered(200)),
      async () => expect(await lockEvent(sql(), second)).toHaveLength(1),
    )
    expect(verdicts).toEqual(['delivered', 'delivered'])
  })
})

test('who settles an item locks its order before it', async () => {
  const { item, code } = await order()
  const [call] = await claimCalls(sql(), [item])
  if (call === undefined) throw new Error('no call is due')
  const verdict = await whileHeld(
    sql(),
    (holder) => holder`select from supply.orders where code = ${code} for no key update`,
    () => record(sql(), call, completed()),
    async () => expect(await lockItem(sql(), item)).toHaveLength(1),
  )
  expect(verdict).toBe('settled')
})
