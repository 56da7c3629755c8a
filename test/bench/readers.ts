import { setTimeout as sleep } from 'node:timers/promises'
import { dataKeyText } from '../support/data_keys.ts'
import type { Bench } from './baseline.ts'
import { latenciesOf, median, type Table } from './figures.ts'
import { keyProductId, openConnections, readRequest } from './requests.ts'
import { waitUntilFinal } from './stage.ts'
import { openShop } from './whole.ts'

const rounds = 3
const readers = 12
const [items, codesEach] = [50, 100]
const pauseMs = 20

type Round = { alone: number; beside: number; ratio: number; reads: number; failed: number }
export type Readers = Round[]

/**
 * What another partner notices of twelve connections that read an order of 50 × 100 codes again and again, with
 * DATA_KEYS: the p95 of its requests for the balance.
 */
export async function measureReaders({ stage, ms }: Bench): Promise<Readers> {
  const { database, service, accounts } = await openShop(stage, 2, { DATA_KEYS: dataKeyText('k1') })
  const [reader, other] = accounts
  if (reader === undefined || other === undefined) throw new Error('there are not two accounts')
  const item = { productId: keyProductId, quantity: codesEach }
  const placed = await fetch(`http://127.0.0.1:${service.port}/b2b/orders`, {
    method: 'POST',
    headers: { 'X-Api-Key': reader.key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ externalOrderId: 'read', items: Array(items).fill(item) }),
  })
  const { data } = (await placed.json()) as { data: { code: string } }
  await waitUntilFinal(database.sql)

  /** Reads over one connection until the time is over. Returns how long each answer took. */
  async function read(key: string, path: string, pause: number, end: number) {
    const [connection] = await openConnections(service.port, 1)
    const times: number[] = []
    let failed = 0
    while (performance.now() < end) {
      const began = performance.now()
      const status = await connection?.send(readRequest(key, path))
      times.push(performance.now() - began)
      if (status !== 200) failed += 1
      if (pause > 0) await sleep(pause)
    }
    connection?.close()
    return { times, failed }
  }

  const measured: Readers = []
  for (let round = 0; round < rounds; round += 1) {
    const phase = async (count: number) => {
      const end = performance.now() + ms(6)
      const path = `/b2b/orders/${data.code}`
      const reading = Array.from({ length: count }, () => read(reader.key, path, 0, end))
      const balance = await read(other.key, '/b2b/balance', pauseMs, end)
      const reads = await Promise.all(reading)
      const failed = balance.failed + reads.reduce((sum, run) => sum + run.failed, 0)
      return { p95: latenciesOf(balance.times).p95, reads: reads.flatMap(({ times }) => times).length, failed }
    }
    const alone = await phase(0)
    const beside = await phase(readers)
    const [a, b] = [alone.p95, beside.p95]
    measured.push({ alone: a, beside: b, ratio: b / a, reads: beside.reads, failed: alone.failed + beside.failed })
  }
  await service.stop()
  await database.drop()
  return measured
}

export function readersTable(measured: Readers): Table {
  return {
    title: `The balance of another partner beside ${readers} readers of an order of ${items} × ${codesEach} codes`,
    columns: ['p95 alone', 'p95 beside', 'ratio', 'reads', 'failed'],
    rows: measured.map(({ alone, beside, ratio, reads, failed }) => [alone, beside, ratio, reads, failed]),
    notes: [`the median ratio is ${median(measured.map(({ ratio }) => ratio)).toFixed(2)}`],
  }
}
