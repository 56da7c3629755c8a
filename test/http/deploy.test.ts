import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { type ApiProcess, startApiProcess } from '../support/servers/service_process.ts'
import { startTcpBalancer } from '../support/servers/tcp_balancer.ts'

const database = testDatabase({ catalog: true })
const children: ApiProcess[] = []
let partner: Partner

beforeAll(async () => {
  partner = await makePartner(database.sql, { balance: 10_000_000 })
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:1', token: 't' })
})
afterEach(() => {
  for (const child of children) child.kill()
})

/** The API that takes part in the restart. */
async function startApi(): Promise<ApiProcess> {
  const child = await startApiProcess(database.url, { DRAIN_SECONDS: '3' })
  children.push(child)
  return child
}

test('an upgrade behind a balancer that follows /readyz costs no answer but 503 while functions are replaced', async () => {
  const balancer = await startTcpBalancer()
  const first = await startApi()
  const second = await startApi()
  await balancer.add(first.url)
  await balancer.add(second.url)

  const clients = [...Array(8)].map((_, index) => startClient(balancer.port, `client ${index}`))
  await database.sql`update supply.code_version set files = '{}'`
  expect(await migrate({ databaseUrl: database.url })).toEqual({ applied: [], codeReloaded: true })
  // What was under way when the migration ended is answered, too.
  const counts = clients.map(({ answers }) => answers.length)
  await expect.poll(() => clients.every(({ answers }, index) => answers.length > (counts[index] ?? 0))).toBe(true)
  const meanwhile = clients.flatMap(({ answers }) => answers.splice(0))
  expect(meanwhile.length).toBeGreaterThan(20)
  expect(meanwhile.filter((answer) => ![200, 201, 503].includes(Number(answer)))).toEqual([])
  for (const old of [first, second]) {
    const successor = await startApi()
    await balancer.add(successor.url)
    expect(await old.end()).toBe(0)
    expect(balancer.ready()).toBe(2)
  }
  const answers = (await Promise.all(clients.map(({ stop }) => stop()))).flat()
  await balancer.close()

  expect(answers.length).toBeGreaterThan(100)
  expect(answers.filter((answer) => ![200, 201, 503].includes(Number(answer)))).toEqual([])
  // A machine that is busy with other things may answer too late, but no restart refuses anything.
  expect(answers.filter((answer) => answer === 503).length).toBeLessThan(answers.length / 50)
})

/** Asks one request after the other, with short pauses, on a connection that it keeps as long as it may, and repeats nothing. */
function startClient(port: number, name: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers: (number | string | undefined)[] = []
  let stopped = false

  async function ask(method: string, path: string, body = ''): Promise<void> {
    const headers = { 'x-api-key': partner.key, 'content-type': 'application/json' }
    const sent = request({ port, host: '127.0.0.1', method, path, headers, agent })
    try {
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      await text(response)
      answers.push(response.statusCode)
    } catch (error) {
      answers.push(String(error))
    }
  }
  async function run(): Promise<void> {
    for (let number = 1; !stopped; number += 1) {
      const order = { externalOrderId: `${name}, ${number}`, items: [{ productId: products.key }] }
      await ask('GET', '/b2b/balance')
      await ask('POST', '/b2b/orders', JSON.stringify(order))
      await sleep(25)
    }
    agent.destroy()
  }
  const running = run()
  const stop = async () => {
    stopped = true
    await running
    return answers
  }
  return { answers, stop }
}
