import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Database } from '../../src/database/client.ts'
import { createReads } from '../../src/database/reads.ts'

const expected = { migration: '0021', checksum: 'ours', release: '1.0.0' }
const bound = 5_000

/** The mark that the primary has, and the one that the standby shows. */
let committed: number
let shown: () => number | null
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  committed = 0
  shown = () => committed
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

type Calls = Pick<Database, 'call'>

function reads() {
  const primary = {
    call: async (name: string, { mark }: { mark: number }) => {
      if (name === 'api.set_read_mark') committed = mark
      return 'primary'
    },
  }
  const standby = {
    call: async (name: string) => (name === 'api.read_state' ? [{ ...expected, mark: shown() }] : 'standby'),
  }
  const created = createReads({
    primary: primary as unknown as Calls,
    standby: standby as unknown as Calls,
    expected,
    maxStalenessMs: bound,
  })
  stop = created.stop
  return { ...created, source: (account = '1') => created.call('api.list_games', { account_id: account }) }
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000)

test('reads go to the standby once it shows a mark, and not before', async () => {
  shown = () => null
  const { source } = reads()
  await seconds(3)
  expect(await source()).toBe('primary')
  shown = () => committed
  await seconds(1)
  expect(await source()).toBe('standby')
})

test('reads leave a standby that shows no later mark when the bound is over', async () => {
  const { source } = reads()
  await seconds(2)
  const last = committed
  shown = () => last
  await seconds(4)
  expect(await source()).toBe('standby')
  await seconds(2)
  expect(await source()).toBe('primary')
})

test('reads leave a standby that an older one replaced', async () => {
  const { source } = reads()
  await seconds(20)
  expect(await source()).toBe('standby')
  shown = () => committed - 10_000
  await seconds(1)
  expect(await source()).toBe('primary')
})

test('an account that has written is read from the primary until the standby shows a later mark', async () => {
  const { source, noteWrite } = reads()
  await seconds(2)
  const before = committed
  shown = () => before
  noteWrite('7')
  await seconds(2)
  expect(await source('7')).toBe('primary')
  expect(await source('8')).toBe('standby')
  shown = () => committed
  await seconds(1)
  expect(await source('7')).toBe('standby')
})

test('an account that has written is not served by an older standby that comes later', async () => {
  const { source, noteWrite } = reads()
  await seconds(3)
  noteWrite('7')
  await seconds(2)
  expect(await source('7')).toBe('standby')
  shown = () => committed - 3_000
  await seconds(1)
  expect(await source('7')).toBe('primary')
  expect(await source('8')).toBe('standby')
})
