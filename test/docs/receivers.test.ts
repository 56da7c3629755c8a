import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { signature } from '../../src/messages/sign.ts'
import { testDatabase } from '../support/database.ts'
import { type Partner, products } from '../support/partner.ts'
import { freePort } from '../support/servers/free_port.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'
import { environment, makeReady, presentLanguages, tellOfAbsentLanguages, twoAtATime } from './languages.ts'

const database = testDatabase({ catalog: true })
const scratch = mkdtempSync(join(tmpdir(), 'receivers-'))
const inTurn = twoAtATime()
const polling = { timeout: 45_000, interval: 50 }
const code = 'AAAAA-BBBBB'
let service: WholeService

const languages = presentLanguages.flatMap(({ name, receiver }) => (receiver ? [{ name, receiver }] : []))

beforeAll(async () => {
  tellOfAbsentLanguages('the receiver')
  service = await startWholeService(database)
  service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed', codes: [code] } }))
  await Promise.all(languages.map(({ name, receiver }) => inTurn(() => makeReady(receiver, join(scratch, name)))))
})
afterAll(async () => {
  await service.close()
  rmSync(scratch, { recursive: true, force: true })
})

type Delivery = { eventId?: string; type?: string; secret: string; key?: string; secondsAgo?: number; body?: Buffer }

describe.each(languages)('the receiver in $name', ({ name, receiver }) => {
  const folder = join(scratch, name)
  const secretFile = join(folder, 'secret.txt')
  let port = 0
  let child: ChildProcess
  let printed = ''
  let partner: Partner
  let secret = ''

  beforeAll(async () => {
    partner = await service.partner()
    port = await freePort()
    const [program = '', ...args] = receiver.command.map((word) => word.replace('$PORT', String(port)))
    const env = { ...environment, PORT: String(port), WEBHOOK_SECRET_FILE: secretFile }
    child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    }
    await vi.waitFor(() => get(), polling)
  })
  afterAll(async () => {
    const ended = once(child, 'close')
    child.kill()
    await ended
  })

  async function get(): Promise<number> {
    const { statusCode, body } = await request(`http://127.0.0.1:${port}/`)
    await body.dump()
    return statusCode
  }

  /** Sends an event as the service would; gives the answer's status. */
  async function deliver(delivery: Delivery): Promise<number> {
    const { eventId = randomUUID(), type = 'order.completed', secondsAgo = 0 } = delivery
    const data = { orderCode: 'ord_1', items: [{ amount: 1, cdKeys: [{ code }] }] }
    const made = Buffer.from(JSON.stringify({ event_id: eventId, event_type: type, data }))
    const body = delivery.body ?? made
    const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
    const answer = await request(`http://127.0.0.1:${port}/webhooks`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-webhook-timestamp': timestamp,
        'x-webhook-signature': signature(delivery.secret, timestamp, body),
        'x-idempotency-key': delivery.key ?? eventId,
      },
      body,
      reset: true, // as the service: each delivery has a connection of its own
    })
    await answer.body.dump()
    return answer.statusCode
  }

  /** How often it told of something. */
  const told = (what: string) => printed.split(what).length - 1

  it('takes what the service sends, from when it knows the secret on', async () => {
    const { code: orderCode } = await service.order(partner, {
      items: [{ productId: products.key, quantity: 1 }],
      callbackUrl: `http://127.0.0.1:${port}/webhooks`,
    })
    const deliveries = async () => (await service.read(partner, orderCode)).deliveries
    await expect.poll(deliveries, polling).toMatchObject({ state: 'waiting', lastStatus: 503 })
    expect(told(orderCode)).toBe(0)

    const [row] = await database.sql`select ops.webhook_secret(${partner.accountId}) as secret`
    secret = row?.secret
    writeFileSync(secretFile, `${secret}\n`)
    const eventId = (await deliveries())?.eventId
    await database.sql`select ops.deliver_now(${eventId ?? null})`
    await expect.poll(deliveries, polling).toMatchObject({ state: 'delivered', lastStatus: 200 })
    await expect.poll(() => told(orderCode), polling).toBe(1)
    expect(printed).toMatch(/order\.completed/)
    expect(printed).not.toContain(code)

    const again = await service.api.post(`/b2b/events/${eventId}/redeliver`, { key: partner.key })
    expect(again.status).toBeLessThan(300)
    await expect.poll(async () => (await deliveries())?.state, polling).toBe('delivered')
    expect(told(orderCode)).toBe(1)
  })

  describe('which knows the secret', () => {
    beforeAll(() => {
      secret ||= 'f'.repeat(64)
      writeFileSync(secretFile, `${secret}\n`)
    })

    it('tells of an event once, however often it comes at the same time', async () => {
      const eventId = randomUUID()
      const before = told('order.made_up')
      const event = { eventId, type: 'order.made_up', secret }
      expect(await Promise.all([1, 2, 3, 4].map(() => deliver(event)))).toEqual([200, 200, 200, 200])
      await expect.poll(() => told('order.made_up') - before, polling).toBe(1)
    })

    it('believes nobody else', async () => {
      expect(await deliver({ secret: 'e'.repeat(64) })).toBe(401)
      expect(await deliver({ secret, secondsAgo: 400 })).toBe(401)
      expect(await deliver({ secret, key: randomUUID() })).toBe(401)
    })

    it('refuses what is too large, and what is no POST', async () => {
      // Some close the connection while the rest of it is on its way.
      const tooLarge = deliver({ secret, body: Buffer.alloc(11 * 1024 * 1024) })
      expect(await tooLarge.catch(() => 413)).toBe(413)
      expect(await get()).toBe(name === 'Python' ? 501 : 405)
    })

    it('takes as large a body as may come', async () => {
      const eventId = randomUUID()
      const data = { note: 'x'.repeat(9 * 1024 * 1024) }
      const body = Buffer.from(JSON.stringify({ event_id: eventId, event_type: 'order.completed', data }))
      expect(await deliver({ eventId, secret, body })).toBe(200)
    })

    it('does not mind who hangs up', async () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      const closed = new Promise((resolve) => socket.on('close', resolve))
      socket.end(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"event_id"`)
      socket.resume()
      await closed
      expect(await deliver({ secret })).toBe(200)
    })

    it('has it come again when it cannot store it', async () => {
      const eventId = randomUUID()
      const away = storeTaken(folder)
      try {
        expect(await deliver({ eventId, type: 'order.kept', secret })).toBe(503)
        expect(told('order.kept ')).toBe(0)
      } finally {
        away.giveBack()
      }
      expect(await deliver({ eventId, type: 'order.kept', secret })).toBe(200)
      await expect.poll(() => told('order.kept '), polling).toBe(1)
    })

    it('lets nobody else read the keys', () => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      const holding = files.filter((file) => /\.db|\.json/.test(file)).map((file) => join(folder, file))
      expect(holding.length).toBeGreaterThan(0)
      for (const file of holding) expect((statSync(file).mode & 0o077).toString(8)).toBe('0')
    })
  })
})

/** Takes away from a receiver what it stores events in, until it is given back. */
function storeTaken(folder: string): { giveBack(): void } {
  const events = join(folder, 'events')
  if (!readdirSync(folder).includes('events.db')) {
    renameSync(events, `${events}.away`)
    // A folder in which not even root can write.
    symlinkSync('/proc', events)
    return {
      giveBack: () => {
        rmSync(events)
        renameSync(`${events}.away`, events)
      },
    }
  }
  const rename = (from: string, to: string) => {
    const sqlite = new DatabaseSync(`${events}.db`, { timeout: 5_000 })
    sqlite.exec(`alter table ${from} rename to ${to}`)
    sqlite.close()
  }
  rename('events', 'away')
  return { giveBack: () => rename('away', 'events') }
}
