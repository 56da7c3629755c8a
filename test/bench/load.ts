import { readFileSync } from 'node:fs'
import { Pool } from 'undici'
import { percentile } from './figures.ts'
import { orderBody } from './shop.ts'

/** What the load generator is told, as a file of JSON, and what it prints after `ready: `. */
export type Load = { url: string; keys: string[]; connections: number; warmUpMs: number; ms: number }
export type LoadResult = { orders: number; refused: number; seconds: number; p50: number; p95: number }

// A process of its own: places orders over so many connections, each as fast as it is answered, for a bounded time.
const load: Load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))
const pool = new Pool(load.url, { connections: load.connections, pipelining: 1 })
const latencies: number[] = []
let refused = 0
let counter = 0
const begin = performance.now() + load.warmUpMs
const end = begin + load.ms

async function shop(): Promise<void> {
  while (performance.now() < end) {
    counter += 1
    const key = load.keys[counter % load.keys.length] ?? ''
    const sent = performance.now()
    const response = await pool.request({
      method: 'POST',
      path: '/b2b/orders',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: orderBody(`${process.pid}-${counter}`),
    })
    await response.body.dump()
    const answered = performance.now()
    if (answered < begin || answered > end) continue
    if (response.statusCode === 201) latencies.push(answered - sent)
    else refused += 1
  }
}

await Promise.all(Array.from({ length: load.connections }, shop))
const result: LoadResult = {
  orders: latencies.length,
  refused,
  seconds: load.ms / 1000,
  p50: percentile(latencies, 50),
  p95: percentile(latencies, 95),
}
console.log(`ready: ${JSON.stringify(result)}`)
process.exit(0)
