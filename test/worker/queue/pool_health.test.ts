import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Database } from '../../../src/database/client.ts'
import { createLostJobs, createWatchdog, lostAfterMs } from '../../../src/worker/queue/pool_health.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('jobs that are locked for a process', () => {
  /** A database in which the pool has these jobs locked, and what it was told to give back. */
  function locked(...locks: { job_id: string; locked_at: string }[]) {
    const given: string[] = []
    const state = { locks, given }
    const call = async (_: string, args: { known_ids: string[]; lost_ids: string[] }) => {
      given.push(...args.lost_ids)
      state.locks = state.locks.filter(({ job_id }) => !args.lost_ids.includes(job_id))
      return state.locks.filter(({ job_id }) => !args.known_ids.includes(job_id))
    }
    return { state, db: { call } as unknown as Database }
  }
  const job = { job_id: '7', locked_at: '12:00' }

  test('are given back once the process has not known them for as long as a fetch may take', async () => {
    const { state, db } = locked(job)
    const returnLostJobs = createLostJobs(db, [{ id: 'pool-1', jobs: new Set() }])
    expect(await returnLostJobs()).toBe(0)
    vi.advanceTimersByTime(lostAfterMs - 1)
    expect(await returnLostJobs()).toBe(0)
    vi.advanceTimersByTime(1)
    expect(await returnLostJobs()).toBe(1)
    expect(state.given).toEqual(['7'])
    vi.advanceTimersByTime(lostAfterMs)
    expect(await returnLostJobs()).toBe(0)
  })

  test('stay locked while the process knows them, or if their fetch ends in time', async () => {
    const { state, db } = locked(job)
    const jobs = new Set(['7'])
    const returnLostJobs = createLostJobs(db, [{ id: 'pool-1', jobs }])
    for (let look = 0; look < 10; look += 1) {
      if (look === 5) jobs.delete('7')
      if (look === 6) jobs.add('7')
      expect(await returnLostJobs()).toBe(0)
      vi.advanceTimersByTime(look === 5 ? lostAfterMs - 1 : lostAfterMs)
    }
    expect(state.given).toEqual([])
  })

  test('that ended since an earlier look are not counted', async () => {
    const { state, db } = locked(job)
    const returnLostJobs = createLostJobs(db, [{ id: 'pool-1', jobs: new Set() }])
    await returnLostJobs()
    state.locks = []
    vi.advanceTimersByTime(lostAfterMs)
    expect(await returnLostJobs()).toBe(0)
    expect(state.given).toEqual([])
  })

  test('stay locked if a new lock replaced the one that the process did not know', async () => {
    const { state, db } = locked(job)
    const returnLostJobs = createLostJobs(db, [{ id: 'pool-1', jobs: new Set() }])
    await returnLostJobs()
    vi.advanceTimersByTime(lostAfterMs - 1)
    state.locks = [{ job_id: '7', locked_at: '12:06' }]
    await returnLostJobs()
    vi.advanceTimersByTime(1)
    expect(await returnLostJobs()).toBe(0)
    expect(state.given).toEqual([])
  })
})

describe('the watchdog', () => {
  test('reports a pool that wants jobs and completed no fetch in so many calls', () => {
    let fetches: number | undefined = 1
    const watch = createWatchdog([{ name: 'one', fetches: () => fetches }], 3)
    expect([watch(), watch(), watch()]).toEqual([undefined, undefined, undefined])
    expect(watch()).toBe('one')
    fetches = 2
    expect(watch()).toBeUndefined()
  })

  test('reports no pool that fetches, or that has as many jobs as it can do', () => {
    let fetches: number | undefined = 1
    const watch = createWatchdog([{ name: 'one', fetches: () => fetches }], 2)
    for (let look = 0; look < 5; look += 1) {
      fetches = look
      expect(watch()).toBeUndefined()
    }
    fetches = undefined
    for (let look = 0; look < 5; look += 1) expect(watch()).toBeUndefined()
  })
})
