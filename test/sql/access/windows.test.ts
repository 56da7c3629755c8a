import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()
const sql = () => database.sql

/** Counts hits of a client that may have five a minute, or another number; returns how many were let in. */
async function count(subject: string, hits: number, perMinute = 5, on = sql()) {
  const [row] = await on`
    select hits - hits_before as counted, hits, extract(epoch from ends_at - clock_timestamp())::float8 as seconds
    from core.count_hits('requests', array[${subject}], array[${hits}::int], array[${perMinute}::int])`
  return { counted: row?.counted, hits: row?.hits, seconds: row?.seconds }
}

test('hits count up to the budget, and refused ones do not', async () => {
  expect(await count('a', 3)).toMatchObject({ counted: 3, hits: 3 })
  expect(await count('a', 4)).toMatchObject({ counted: 2, hits: 5 })
  expect(await count('a', 1)).toMatchObject({ counted: 0, hits: 5 })
})

test('a raised budget takes effect at once, and a lowered one takes back nothing', async () => {
  await count('b', 100)
  expect(await count('b', 100, 8)).toMatchObject({ counted: 3, hits: 8 })
  expect(await count('b', 1, 2)).toMatchObject({ counted: 0, hits: 8 })
  expect(await count('b', 1, 9)).toMatchObject({ counted: 1, hits: 9 })
})

test('no hits lock the window and count nothing', async () => {
  await count('c', 2)
  expect(await count('c', 0)).toMatchObject({ counted: 0, hits: 2 })
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holder = sql().begin(async (on) => {
    await count('c', 0, 5, on as never)
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const other = sql().begin(async (on) => {
    await on`set local lock_timeout = '50 ms'`
    await count('c', 1, 5, on as never)
  })
  await expect(other).rejects.toThrow('lock timeout')
  held.resolve()
  await holder
})

test('a window ends after a minute, and after a clock was set back it lasts no longer', async () => {
  await count('d', 5)
  await sql()`update supply.rate_windows set started_at = started_at - interval '61 s' where subject = 'd'`
  expect(await count('d', 1)).toMatchObject({ counted: 1, hits: 1 })
  await count('e', 5)
  await sql()`update supply.rate_windows set started_at = started_at + interval '70 minutes' where subject = 'e'`
  const { counted, seconds } = await count('e', 1)
  expect(counted).toBe(1)
  expect(seconds).toBeLessThanOrEqual(60)
})

test('each kind has windows of its own', async () => {
  await count('1', 5)
  const [row] = await sql()`select hits from core.count_hits('samples', '{1}', '{1}', '{60}')`
  expect(row?.hits).toBe(1)
})

test('two transactions share one budget exactly', async () => {
  const counts = await Promise.all(Array.from({ length: 20 }, () => count('f', 1)))
  expect(counts.filter(({ counted }) => counted === 1)).toHaveLength(5)
})
