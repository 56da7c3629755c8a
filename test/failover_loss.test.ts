import { afterEach, expect, test } from 'vitest'
import { startOrdering } from './support/crash/ordering.ts'
import { makeCatalog, makePartner, products } from './support/partner.ts'
import { clientOf, type ReplicatedPostgres, startReplicatedPostgres, together } from './support/servers/replication.ts'
import { startScriptedSupplier } from './support/servers/scripted_supplier.ts'
import { startApi, type TestApi } from './support/service.ts'
import { startTestWorker } from './support/whole_service.ts'

// A hundred take some eight minutes.
const failovers = Number(process.env.FAILOVERS ?? 3)
const items = [{ productId: products.topUp, deliveryData: { gameUserId: '123456789' } }]
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function startScene(options: { isSynchronous: boolean }) {
  const servers = await startReplicatedPostgres(options)
  ends.push(servers.stop)
  const url = together(servers.primary.url, servers.standby.url)
  const supplier = await startScriptedSupplier()
  ends.push(supplier.close)
  supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  const setup = clientOf(servers.primary)
  await makeCatalog(setup, supplier)
  const partner = await makePartner(setup, { balance: 1_000_000 })
  await setup`select work.check_origin()`
  await setup.end({ timeout: 1 })
  const api = await startApi(url)
  ends.push(api.close)
  return { servers, url, supplier, partner, api }
}

const logged = ({ records }: TestApi, pattern: RegExp) => records.filter(({ msg }) => pattern.test(String(msg)))
const lossOf = (api: TestApi) => logged(api, /lost acknowledged work/).map(({ lost }) => lost)

async function failOver({ killPrimary, promote }: ReplicatedPostgres): Promise<void> {
  killPrimary()
  await promote()
}

test('orders that a lagging standby lacks are reported, and no supplier is called until a recovery begins', async () => {
  const { servers, url, supplier, partner, api } = await startScene({ isSynchronous: false })
  const place = async (externalOrderId: string) => {
    const { json } = await api.post('/b2b/orders', { key: partner.key, body: { externalOrderId, items } })
    return json.data as { code: string; items: { id: string }[] }
  }
  const kept = await Promise.all(['a', 'b', 'c'].map(place))
  const primary = clientOf(servers.primary)
  const lag = () => primary`select from pg_stat_replication where replay_lsn < pg_current_wal_flush_lsn()`
  await expect.poll(lag, { interval: 10 }).toEqual([])
  await primary.end({ timeout: 1 })
  await servers.holdBack()
  const lost = await Promise.all(['d', 'e', 'f', 'g'].map(place))
  await failOver(servers)

  const codes = lost.map(({ code }) => code).sort()
  await expect.poll(() => lossOf(api).flat()).toHaveLength(codes.length)
  expect(lossOf(api).map((each) => (each as string[]).toSorted())).toEqual([codes])
  const sql = clientOf(servers.standby)
  ends.push(() => sql.end({ timeout: 1 }))
  const attention = await sql`select subject from ops.attention where what = 'lost in a failover' order by 1`
  expect(attention.map(({ subject }) => subject)).toEqual(codes.map((code) => `order ${code}`))

  const worker = await startTestWorker(url)
  ends.push(worker.stop)
  const waiting = () => sql`select from ops.order_items where state = 'limited'`
  await expect.poll(waiting).toHaveLength(kept.length)
  expect(supplier.requests).toEqual([])
  await sql`select ops.begin_recovery('failover to a standby that lagged')`
  await expect.poll(() => supplier.requests.length).toBe(kept.length)
  expect(supplier.requests.map(({ method, reference }) => `${method} ${reference}`).sort()).toEqual(
    kept.map(({ items }) => `GET ${items[0]?.id}`).sort(),
  )
})

test(
  'failovers to a synchronous standby lose nothing, and none is reported as a loss',
  async () => {
    const { servers, partner, api } = await startScene({ isSynchronous: true })
    const load = startOrdering(api.url, partner, 4, { items })
    for (let number = 1; number <= failovers; number += 1) {
      const before = load.accepted.size
      await expect.poll(() => load.accepted.size, { interval: 10 }).toBeGreaterThan(before + 20)
      await failOver(servers)
      await expect.poll(() => logged(api, /a failover lost nothing/).length, { interval: 10 }).toBe(number)
      await servers.rejoin()
    }
    await load.stop()
    expect(lossOf(api)).toEqual([])
    const sql = clientOf(servers.primary)
    ends.push(() => sql.end({ timeout: 1 }))
    const codes = (await sql`select order_code from ops.orders`).map(({ order_code }) => order_code)
    expect([...load.accepted.values()].filter((code) => !codes.includes(code))).toEqual([])
  },
  60_000 + failovers * 10_000,
)
