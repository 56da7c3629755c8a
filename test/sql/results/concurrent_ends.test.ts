import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { type Call, completed, failed, finishCalls, leaseCalls } from '../../support/items.ts'
import { audit, orderRequest, type Placed, placeAll } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase({ catalog: true })
const sessions: postgres.Sql[] = []
const ordersOfEach = 60
const batch = 6

beforeAll(async () => {
  for (let n = 0; n < 5; n += 1) sessions.push(postgres(database.url, { max: 1, onnotice: () => {} }))
})
afterAll(() => Promise.all(sessions.map((session) => session.end())))

const shuffled = <T>(list: T[]): T[] =>
  list
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)

/** Places the orders of all partners and leases their calls, some with a callback URL. */
async function placeOrders(partners: Partner[]): Promise<{ calls: Call[]; codes: Map<number, Placed[]> }> {
  const requests = partners.flatMap((partner, index) =>
    Array.from({ length: ordersOfEach }, (_, n) => ({
      ...orderRequest(partner, n % 3 === 0 ? { callbackUrl: 'https://hooks.example/x' } : {}),
      ordinal: index * ordersOfEach + n,
    })),
  )
  const placed = await placeAll(database.sql, requests)
  const codes = Map.groupBy(placed, ({ ordinal }) => Number(requests[ordinal]?.account_id))
  const items = placed.flatMap(({ body }) => body.items.map(({ id }) => id))
  const calls: Call[] = []
  while (items.length > 0) calls.push(...(await leaseCalls(database.sql, items.splice(0, 60))))
  return { calls, codes }
}

/** Ends orders in transactions that stay open for a while; what was busy is done again. */
async function endOrders(session: postgres.Sql, calls: Call[]): Promise<void> {
  for (;;) {
    const part = calls.splice(0, batch)
    if (part.length === 0) return
    const verdicts = await session.begin(async (transaction) => {
      const recorded = await finishCalls(transaction, part, () => (Math.random() < 0.3 ? failed() : completed()))
      await pause(Math.random() ** 4 * 80)
      return recorded.verdicts
    })
    calls.push(...part.filter((_, index) => verdicts[index] === 'busy'))
  }
}

test('whoever reads while orders end in several sessions sees each once, and no number before a lower one', async () => {
  const partners = [await makePartner(database.sql), await makePartner(database.sql)]
  const { calls, codes } = await placeOrders(partners)
  const toEnd = shuffled(calls)
  let hasEnded = false

  async function readAll({ accountId, keyId }: Partner): Promise<string[]> {
    const seen: string[] = []
    for (let isLast = false; ; isLast = hasEnded) {
      const results = await oneValue(
        database.sql`select body -> 'results' from api.list_results(${accountId}, ${keyId}, ${seen.length}, 7)`,
      )
      for (const { seq, orderCode } of results) {
        expect(seq).toBe(seen.length + 1)
        seen.push(orderCode)
      }
      if (isLast && results.length === 0 && seen.length === ordersOfEach) return seen
      await turn()
    }
  }
  async function numberTheRest(): Promise<void> {
    const session = sessions[4] as postgres.Sql
    while (!hasEnded) {
      await session`select work.number_results()`
      await pause(10)
    }
    await session`select work.number_results()`
  }

  const reading = partners.map(readAll)
  const numbering = numberTheRest()
  await Promise.all(sessions.slice(0, 4).map((session) => endOrders(session, toEnd)))
  hasEnded = true
  await numbering
  for (const [index, { accountId }] of partners.entries()) {
    expect((await reading[index])?.sort()).toEqual(
      codes
        .get(accountId)
        ?.map(({ body }) => body.code)
        .sort(),
    )
  }
  expect(await audit(database.sql)).toEqual([])
})
