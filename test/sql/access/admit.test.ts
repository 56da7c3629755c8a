import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makePartner, type Partner } from '../../support/partner.ts'

const database = testDatabase()
const budget = 40

let partner: Partner
beforeAll(async () => {
  partner = await makePartner(database.sql)
})

type Entry = { client: string; count: boolean; key?: string; write?: boolean; origin?: string }
type Row = { ordinal: number; verdict: string; limit_per_minute: number | null; remaining: number | null }

/** What the database says to these entries, by their order. */
async function admit(entries: Entry[]): Promise<Row[]> {
  const requests = entries.map(({ key, origin = null, write = false, ...entry }, index) => ({
    ...{ ordinal: index + 1, ...entry, origin, write, allowOrigin: false },
    keyHash: key === undefined ? null : createHash('sha256').update(key).digest('hex'),
  }))
  const rows = await database.sql<Row[]>`
    select ordinal, verdict, limit_per_minute, remaining
    from api.admit(${database.sql.json(requests)}, ${budget}) order by ordinal`
  expect(rows.map(({ ordinal }) => ordinal)).toEqual(requests.map(({ ordinal }) => ordinal))
  return rows
}

describe('in a batch with counted and uncounted entries', () => {
  test('only the counted entries use the budget, which each client has for itself, over several batches', async () => {
    const clients = ['198.51.100.2', '198.51.100.3', '2001:db8:0:1::1', '2001:db8:0:1::2']
    const batchOf = (size: number) =>
      Array.from({ length: size }, (_, index) => ({
        client: clients[index % clients.length] ?? '',
        count: Math.floor(index / clients.length) % 3 === 0,
        key: partner.key,
      }))
    const seen = new Map<string, Row[]>()
    for (const size of [1, 7, 100, 240, 64, 128]) {
      const entries = batchOf(size)
      for (const [index, row] of (await admit(entries)).entries()) {
        const { client = '', count = false } = entries[index] ?? {}
        // A /64 is one client.
        const counter = client.replace(/::.*/, '::')
        if (count) seen.set(counter, [...(seen.get(counter) ?? []), row])
        else expect([row.verdict, row.limit_per_minute, row.remaining]).toEqual(['ok', null, null])
      }
    }
    expect(seen.size).toBe(3)
    for (const rows of seen.values()) {
      expect(rows.map(({ remaining }) => remaining)).toEqual(rows.map((_, index) => Math.max(0, budget - index - 1)))
      expect(rows.filter(({ verdict }) => verdict !== 'rate_limited')).toHaveLength(Math.min(budget, rows.length))
    }
  })

  test('a client whose entries are all uncounted has no window', async () => {
    await admit([
      { client: '198.51.100.5', count: false, key: partner.key },
      { client: '198.51.100.6', count: true, key: partner.key },
    ])
    const windows = await database.sql`
      select host(subject::cidr) as client, hits from supply.rate_windows
      where kind = 'requests' and subject::cidr <<= '198.51.100.4/30'`
    expect([...windows]).toEqual([{ client: '198.51.100.6', hits: 1 }])
  })

  test('an entry with a forbidden Origin uses no budget', async () => {
    const client = '198.51.100.9'
    const foreign = { client, count: true, key: partner.key, write: true, origin: 'https://evil.example' }
    const plain = { client, count: true, key: partner.key }
    const rows = await admit([foreign, plain, foreign, plain, foreign])
    expect(rows.map(({ verdict, remaining }) => [verdict, remaining])).toEqual([
      ['origin_forbidden', null],
      ['ok', budget - 1],
      ['origin_forbidden', null],
      ['ok', budget - 2],
      ['origin_forbidden', null],
    ])
  })
})
