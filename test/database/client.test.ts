import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { isUnavailable } from '../../src/database/client.ts'
import { clientTests, failure } from './client_tests.ts'

const { database, client } = clientTests()

describe('a call', () => {
  test('passes every kind of value there and back', async () => {
    const at = new Date('2026-02-03T04:05:06.789Z')
    const list = ['plain', 'with "quotes", commas and \\', '', 'NULL', '{}', 'пример\nна строке', null]
    const doc = [true, { text: 'a"b', big: 1.5, nothing: null }]
    const [row] = await client().call('api.echo', { flag: false, list, doc, at, big: 9_007_199_254_740_993n })
    expect(row).toEqual({ flag: false, list, doc, at, big: '9007199254740993', raw: '{"b" : 1, "a":2}' })
  })

  test('passes lists of any texts there and back', async () => {
    const db = client()
    const text = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0') && value.isWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), fc.jsonValue(), async (list, doc) => {
        const [row] = await db.call('api.echo', { list, doc: { doc } })
        expect(row).toMatchObject({ list })
      }),
      { numRuns: 60 },
    )
  })

  test('leaves absent arguments to their defaults, and null is null', async () => {
    const [row] = await client().call('api.echo', { flag: null, list: undefined })
    expect(row).toMatchObject({ flag: null, list: [], doc: {}, big: '1' })
  })

  test('returns the value of a scalar and undefined for void', async () => {
    const db = client()
    expect(await db.call('api.number')).toBe(3)
    expect(await db.call('api.sleep', { seconds: 0 })).toBeUndefined()
  })

  test('runs with the role, the time zone and the timeouts of the options', async () => {
    const [row] = await client().call('api.who')
    expect(row).toEqual({ role: 'supply_api', zone: 'UTC', timeouts: '3s 1s 5s' })
  })

  test('with an argument that cannot be JSON fails without harm to the connection', async () => {
    const db = client({ max: 1 })
    expect(await failure(db.call('api.echo', { doc: () => 1 }))).toBeInstanceOf(TypeError)
    expect(await db.call('api.number')).toBe(3)
  })

  test('after one that failed behind its first rows returns its own rows only', async () => {
    const db = client({ max: 1 })
    expect(await failure(db.call('api.divided'))).toMatchObject({ code: '22012' })
    expect(await db.call('api.who')).toMatchObject([{ role: 'supply_api' }])
    expect(await db.call('api.number')).toBe(3)
  })

  test('takes a connection of its own: a slow call does not hold up the next', async () => {
    const db = client()
    const order: string[] = []
    await Promise.all([
      db.call('api.sleep', { seconds: 0.5 }).then(() => order.push('slow')),
      db.call('api.number').then(() => order.push('fast')),
    ])
    expect(order).toEqual(['fast', 'slow'])
  })

  test('waits for a connection when all are taken', async () => {
    const db = client({ max: 2 })
    const calls = Array.from({ length: 20 }, () => db.call('api.sleep', { seconds: 0.01 }))
    expect(await Promise.all(calls)).toHaveLength(20)
  })
})

describe('a repeat', () => {
  beforeEach(() => database.sql`alter sequence public.tries restart`)

  test.each(['XX000', '40001', '40P01'])('follows at once on %s', async (state) => {
    expect(await client().call('api.fail_once', { state })).toBe(7)
  })

  test('does not follow on any other error', async () => {
    expect(await failure(client().call('api.fail_once', { state: 'P0001' }))).toMatchObject({ code: 'P0001' })
  })

  test('after a changed result type carries the same arguments', async () => {
    const db = client({ max: 1 })
    const define = (columns: string, values: string) =>
      database.sql.unsafe(`
        drop function if exists api.wide(boolean, jsonb);
        create function api.wide(flag boolean, doc jsonb) returns table (${columns}) language sql as 'select ${values}';
        grant execute on function api.wide to supply_api`)
    await define('a boolean, b jsonb', 'flag, doc')
    expect(await db.call('api.wide', { flag: true, doc: { x: 1 } })).toEqual([{ a: true, b: { x: 1 } }])
    await define('a boolean, b jsonb, c int', 'flag, doc, 3')
    expect(await db.call('api.wide', { flag: true, doc: { x: 1 } })).toEqual([{ a: true, b: { x: 1 }, c: 3 }])
  })
})

describe('a deadline', () => {
  test('ends a call whose statement runs too long, and the next call gets a connection', async () => {
    const db = client({ max: 1, deadlineMs: 1_000 })
    const error = await failure(db.call('api.sleep', { seconds: 30 }))
    expect(error).toMatchObject({ name: 'DatabaseDeadline' })
    expect(isUnavailable(error)).toBe(true)
    expect(await db.call('api.number')).toBe(3)
  })

  test('ends a call that never got a connection', async () => {
    const db = client({ max: 1, deadlineMs: 400 })
    const slow = failure(db.call('api.sleep', { seconds: 30 }))
    expect(await failure(db.call('api.number'))).toMatchObject({ name: 'DatabaseDeadline' })
    await slow
  })

  test('leaves no statement running behind it', async () => {
    const db = client({ max: 1, deadlineMs: 300, statementTimeoutMs: 60_000, applicationName: 'left behind' })
    await failure(db.call('api.sleep', { seconds: 300 }))
    await expect
      .poll(() => database.sql`select from pg_stat_activity where application_name = 'left behind'`, {
        timeout: 45_000,
      })
      .toHaveLength(0)
  })
})

describe('end', () => {
  test('lets a call under way finish and refuses new ones', async () => {
    const db = client()
    const call = db.call('api.sleep', { seconds: 0.3 })
    const end = db.end()
    const refused = await failure(db.call('api.number'))
    expect(refused).toMatchObject({ code: 'CONNECTION_ENDED' })
    expect(isUnavailable(refused)).toBe(true)
    await expect(call).resolves.toBeUndefined()
    await end
  })

  test('waits for its timeout at most', async () => {
    const db = client()
    const call = failure(db.call('api.sleep', { seconds: 30 }))
    await db.end({ timeout: 0.2 })
    expect(isUnavailable(await call)).toBe(true)
  })
})
