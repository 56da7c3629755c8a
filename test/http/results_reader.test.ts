import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { audit, orderRequest, placeAll } from '../support/orders.ts'
import { type Partner, products } from '../support/partner.ts'
import { type RunningWorker, startTestWorker, startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const total = 60
let service: WholeService
let second: RunningWorker
let partner: Partner

beforeAll(async () => {
  service = await startWholeService(database)
  second = await startTestWorker(database.url)
  partner = await service.partner({ balance: 100_000 })
})
afterAll(async () => {
  await second.stop()
  await service.close()
})

/** What a reader keeps in its database, both at once. */
type Kept = { after: number; codes: string[] }

/** Reads, or is killed in the midst of it, unless it is done before. Returns whether it was. */
async function read(kept: Kept, query: string, isKilled: boolean): Promise<boolean> {
  const sent = request({
    ...{ host: '127.0.0.1', port: service.api.port, headers: { 'x-api-key': partner.key } },
    path: `/b2b/results?${query}&after=${kept.after}`,
  }).end()
  const killed = isKilled ? pause(Math.random() * 40).then(() => sent.destroy()) : undefined
  try {
    const [response] = await once(sent, 'response')
    const { data } = JSON.parse(await text(response))
    kept.codes.push(...data.results.map(({ orderCode }: { orderCode: string }) => orderCode))
    kept.after = data.nextAfter
    return false
  } catch {
    return true
  } finally {
    await killed
  }
}

test('a reader that is killed and started again at random sees every final order once, while workers end them', async () => {
  service.supplier.setAnswer(({ nth, reference }) => ({
    status: 200,
    json: { status: nth === 1 && reference < '4' ? 'processing' : reference > 'c' ? 'failed' : 'completed' },
  }))
  const kept: Kept = { after: 0, codes: [] }
  let kills = 0
  async function readAll(): Promise<void> {
    while (kept.codes.length < total) {
      // The first one waits in vain: nothing is placed yet.
      if (await read(kept, 'wait=5&limit=7', kills === 0 || Math.random() < 0.5)) kills += 1
    }
  }

  const reading = readAll()
  const placed: string[] = []
  while (placed.length < total) {
    const requests = Array.from({ length: 12 }, (_, ordinal) =>
      orderRequest(partner, { ordinal, items: [{ productId: products.topUp }, { productId: products.expensive }] }),
    )
    placed.push(...(await placeAll(service.sql, requests)).map(({ body }) => body.code))
  }
  await reading
  expect(kills).toBeGreaterThan(0)
  expect(kept.codes.toSorted()).toEqual(placed.toSorted())
  expect(await read(kept, 'wait=0', false).then(() => kept.codes.length)).toBe(total)
  expect(await audit(service.sql)).toEqual([])
})
