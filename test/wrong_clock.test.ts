import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { clock } from '../src/clock.ts'
import { testDatabase } from './support/database.ts'
import { place } from './support/orders.ts'
import { signedPush } from './support/signed.ts'
import { startWholeService, type WholeService } from './support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let service: WholeService
const tenMinutes = 600_000

/** Sets the clock of this process, in which the whole service runs, ten minutes ahead of the database's. */
async function setClock(): Promise<void> {
  vi.useFakeTimers({ now: Date.now() + tenMinutes, toFake: ['Date'] })
  await expect.poll(() => clock.secondsAhead()).toBeGreaterThan(500)
}
/** Whether a time in ms is close to the time of the machine, whose clock is right. */
const isRight = (ms: number) => Math.abs(ms - (performance.timeOrigin + performance.now())) < tenMinutes / 2

beforeAll(async () => {
  service = await startWholeService(database)
})
afterEach(async () => {
  vi.useRealTimers()
  await expect.poll(() => clock.secondsAhead()).toBeNull()
})
afterAll(() => service.close())

test('events of a worker with a wrong clock are signed with the time of the database, and arrive', async () => {
  await setClock()
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  await place(sql(), partner, { callbackUrl: receiver.url })
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0)
  expect(isRight(1_000 * Number(receiver.received[0]?.headers['x-webhook-timestamp']))).toBe(true)
})

test('an alert names the process with the wrong clock, and ends with the difference', async () => {
  await setClock()
  const open = async () => {
    const rows = await sql()`
      select distinct subject from core.alerts where kind = 'wrong_clock' and closed_at is null order by subject`
    return rows.map(({ subject }) => subject.split(' ')[0])
  }
  await expect.poll(open).toEqual(['api', 'worker'])
  vi.useRealTimers()
  await expect.poll(open).toEqual([])
})

test('a process with a wrong clock takes pushes with the right time, and /readyz names the difference', async () => {
  await setClock()
  const body = JSON.stringify({ reference: crypto.randomUUID(), status: 'completed' })
  const push = async (timestampMs: number) => {
    const headers = signedPush(body, service.supplier.token, String(Math.floor(timestampMs / 1_000)))
    return (await service.api.post('/suppliers/first/results', { headers, body })).status
  }
  expect(await push(performance.timeOrigin + performance.now())).toBe(404)
  expect(await push(Date.now())).toBe(401)
  expect(await service.api.get('/readyz')).toMatchObject({
    status: 200,
    json: { data: { status: 'ready', clock: expect.stringMatching(/^\d+ s ahead of the database's$/) } },
  })
})
