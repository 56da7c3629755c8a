import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReceiver } from '../../src/demo/receiver/receiver.ts'
import { installClient, oldestNode } from '../support/client_package.ts'
import { testDatabase } from '../support/database.ts'
import { audit } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'
import { freePort } from '../support/servers/free_port.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { type ApiProcess, startApiProcess } from '../support/servers/service_process.ts'
import { startTcpBalancer, type TcpBalancer } from '../support/servers/tcp_balancer.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'
import { type RunningWorker, startTestWorker } from '../support/whole_service.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/client.md'), 'utf8')
const programs = [...page.matchAll(/^```js\n(.*?)\n```$/gms)].map(([, program = '']) => program)
const [program = ''] = programs.filter((one) => one.includes("from 'supply-ordering-client'"))

describe('the program of docs/client.md', () => {
  const database = testDatabase({ catalog: true })
  const scratch = mkdtempSync(join(tmpdir(), 'readme-program-'))
  let partner: Partner
  let supplier: ScriptedSupplier
  let worker: RunningWorker
  let network: TcpProxy
  let balancer: TcpBalancer
  let api: ApiProcess
  let child: ChildProcess | undefined

  beforeAll(async () => {
    await installClient(scratch)
    writeFileSync(join(scratch, 'partner/program.js'), program)
    supplier = await startScriptedSupplier()
    supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
    await makeCatalog(database.sql, supplier)
    partner = await makePartner(database.sql)
    worker = await startTestWorker(database.url)
    network = await startTcpProxy(database.url)
    balancer = await startTcpBalancer()
    api = await startApiProcess(network.url)
    await balancer.add(api.url)
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    api.kill()
    await worker.stop()
    await Promise.all([supplier.close(), network.close(), balancer.close()])
    rmSync(scratch, { recursive: true, force: true })
  })

  /** The account's signing secret, which its first delivery makes. */
  async function signingSecret(): Promise<string> {
    const receiver = await startReceiver({ secret: () => undefined })
    await database.sql`select ops.send_test_event(${partner.accountId}, ${receiver.url})`
    await receiver.waitFor(() => true, 60_000)
    await receiver.close()
    const [row] = await database.sql`select ops.webhook_secret(${partner.accountId}) as secret`
    return row?.secret
  }

  function start(reference: string, env: { [name: string]: string }) {
    const options = { env: { PATH: process.env.PATH, PORT: '0', ...env } }
    const started = spawn(oldestNode(), [join(scratch, 'partner/program.js'), reference], options)
    child = started
    const ended = Promise.all([text(started.stdout), text(started.stderr), once(started, 'close')])
    return ended.then(([stdout, stderr, [code]]) => ({ code, stdout, stderr }))
  }

  test('has thirty lines at most', () => {
    expect(program).toContain('placeOrder')
    expect(program.split('\n').length).toBeLessThanOrEqual(30)
  })

  test('survives an API that is killed between commit and answer', async () => {
    const secret = await signingSecret()
    const committed = network.holdAnswerWith('shop-1001')
    const BASE_URL = `http://127.0.0.1:${balancer.port}`
    const env = { BASE_URL, API_KEY: partner.key, WEBHOOK_SECRET: secret, PORT: String(await freePort()) }
    const ended = start('shop-1001', env)
    await committed
    api.kill()
    api = await startApiProcess(database.url)
    await balancer.add(api.url)

    const { code, stdout, stderr } = await ended
    const { sql } = database
    const orders = await sql`select order_code, total_amount from ops.orders`
    expect(orders).toHaveLength(1)
    const orderCode = orders[0]?.order_code
    const events = await sql`select state from ops.events where order_code = ${orderCode}`
    // The cause after the address depends on the moment of the kill.
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^(again: \S+): .*/, '$1'))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const expected = [`again: ${BASE_URL}`, `order.completed ${orderCode}`, `placed ${orderCode} for 10.5 RUB`]
    expect([...new Set(lines)].sort()).toEqual(expected)
    expect([...events]).toEqual([{ state: 'delivered' }])
    expect([...(await sql`select amount from ops.ledger where type = 'order_charge'`)]).toEqual([{ amount: '-10.50' }])
    expect(await audit(sql)).toEqual([])
  })
})
