import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { type Call, completed, failed, leaseCalls } from '../../support/items.ts'
import { audit, orderRequest, placeAll } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase()
const sessions: postgres.Sql[] = []
const ordersOfEach = 60
const batch = 6

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  for (let n = 0; n < 5; n += 1) sessions.push(postgres(database.url, { max: 1, onnotice: () => {} }))
})
afterAll(() => Promise.all(sessions.map((session) => session.end())))

const shuffled = <T>(list: T[]): T[] =>
  list
    .map((value) => ({ value, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)

/** Places the orders of all partners and leases their calls, some with a callback URL. */
async function placeOrders(partners: Partner[]): Promise<{ calls: Call[]; codes: Map<number, string[]> }> {
  const requests = partners.flatMap((partner) =>
    Array.from({ length: ordersOfEach }, (_, n) =>
      orderRequest(partner, n % 3 === 0 ? { callbackUrl: 'https://hooks.example/x' } : {}),
    ),
  )
  const placed = await placeAll(
    database.sql,
    requests.map((request, index) => ({ ...request, ordinal: index })),
  )
  const codes = new Map<number, string[]>()
  for (const { ordinal, body } of placed) {
    const account = Number(requests[ordinal]?.account_id)
    codes.set(account, [...(codes.get(account) ?? []), body.code])
  }
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
    const results = part.map(({ item_id, lease_token }, ordinal) => ({
      ...{ ordinal, itemId: item_id, leaseToken: lease_token, result: Math.random() < 0.3 ? failed() : completed() },
    }))
    const verdicts = await session.begin(async (transaction) => {
      const rows = await transaction`
        select ordinal, verdict from work.finish_calls(${transaction.json(results as never)}, '24 hours', '30 minutes', 0, null) where ordinal is not null`
      await pause(Math.random() ** 4 * 80)
      return rows
    })
    for (const { ordinal, verdict } of verdicts) {
      if (verdict === 'busy') calls.push(part[ordinal] as Call)
    }
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
      const [row] = await database.sql`
        select body -> 'results' as results from api.list_results(${accountId}, ${keyId}, ${seen.length}, 7)`
      for (const { seq, orderCode } of row?.results ?? []) {
        expect(seq).toBe(seen.length + 1)
        seen.push(orderCode)
      }
      if (isLast && row?.results.length === 0 && seen.length === ordersOfEach) return seen
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
    expect((await reading[index])?.sort()).toEqual(codes.get(accountId)?.sort())
  }
  expect(await audit(database.sql)).toEqual([])
})
