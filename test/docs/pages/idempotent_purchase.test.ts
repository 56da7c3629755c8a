import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { audit } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'
import { startBadNetwork } from '../bad_network.ts'
import { programsOf } from './page_programs.ts'

const scratch = mkdtempSync(join(tmpdir(), 'idempotent-purchase-'))

const database = testDatabase({ catalog: true })
const api = testApi(() => database.url)
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.each(programsOf('idempotent_purchase'))('$file', ({ file, path, command }) => {
  let partner: Partner
  let network: Awaited<ReturnType<typeof startBadNetwork>>
  const shop = join(scratch, `${file}.db`)
  const running = new Set<ChildProcess>()

  beforeAll(async () => {
    partner = await makePartner(database.sql)
    network = await startBadNetwork(() => api().url)
  })
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL')
    await network.close()
  })

  function start(...args: string[]) {
    const env = { PATH: process.env.PATH, BASE_URL: network.url, API_KEY: partner.key, DATABASE: shop }
    const child = spawn(command, [path, ...args], { env })
    running.add(child)
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return {
      ended: ended.then(([stdout, stderr, [code]]) => ({ code, stdout, stderr })),
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
    }
  }

  /** The orders of the partner, and how often each was charged. */
  const orders = () => database.sql`
    select o.order_code, o.external_order_id as reference,
      (select count(*)::int from ops.ledger l where l.order_code = o.order_code and l.type = 'order_charge') as charges
    from ops.orders o where o.account_id = ${partner.accountId} order by o.external_order_id`

  /** What the shop's own database says of a purchase. */
  function recorded(reference: string) {
    const db = new DatabaseSync(shop)
    const row = db.prepare('select status, answer from supply_orders where reference = ?').get(reference)
    db.close()
    return { status: row?.status, code: row?.answer === null ? null : JSON.parse(String(row?.answer)).data.code }
  }

  test('orders once, killed before its request came and after its order was placed', async () => {
    const lost = network.meet('lost request')
    const first = start('shop-1', '12345')
    await lost
    await first.kill()
    expect([...(await orders())]).toEqual([])
    expect(recorded('shop-1')).toEqual({ status: null, code: null })

    const unanswered = network.meet('silence')
    const second = start()
    await unanswered
    await second.kill()
    const [order] = await orders()
    expect(order).toMatchObject({ reference: 'shop-1', charges: 1 })
    expect(recorded('shop-1')).toEqual({ status: null, code: null })

    const { code, stdout, stderr } = await start().ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: `shop-1: ordered as ${order?.order_code}\n` })
    expect(stderr).not.toContain('again')
    expect([...(await orders())]).toEqual([order])
    expect(recorded('shop-1')).toEqual({ status: 200, code: order?.order_code })
    expect(await start('shop-1', '12345').ended).toMatchObject({ code: 0, stdout: '' })
  })

  test('repeats by itself what was refused for now, or answered by half', async () => {
    network.meet('503')
    network.meet('half a response')
    const { code, stdout, stderr } = await start('shop-2', '12345').ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^shop-2: ordered as ord_/) })
    expect(stderr).toContain('shop-2: 503 UNAVAILABLE, again')
    expect(stderr).toContain('shop-2: no answer, again')
    const [, order] = await orders()
    expect(order).toMatchObject({ reference: 'shop-2', charges: 1 })
  })

  test('orders once, run twice at the same time', async () => {
    const both = [start('shop-3', '12345'), start('shop-3', '12345')].map(({ ended }) => ended)
    const printed = (await Promise.all(both)).map(({ code, stdout }) => ({ code, stdout }))
    const [, , order, ...others] = await orders()
    expect(others).toEqual([])
    expect(order).toMatchObject({ reference: 'shop-3', charges: 1 })
    // One that comes late finds nothing open.
    for (const { code, stdout } of printed) {
      expect(code).toBe(0)
      expect([`shop-3: ordered as ${order?.order_code}\n`, '']).toContain(stdout)
    }
    expect(recorded('shop-3').code).toBe(order?.order_code)
    expect(await audit(database.sql)).toEqual([])
  })
})
