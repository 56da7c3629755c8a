import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { audit, place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { type DnsServer, startDnsServer } from '../../support/servers/dns_server.ts'
import type { SupplierAnswer } from '../../support/servers/scripted_supplier.ts'
import { shapeOf, withoutRequestId } from '../../support/service.ts'
import { realTraces, startWholeService, type WholeService } from '../../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let dns: DnsServer
let service: WholeService
let partner: Partner

beforeAll(async () => {
  dns = await startDnsServer({
    'trap.example': { a: ['10.1.2.3'] },
    'slow-trap.example': { a: ['10.1.2.3'], delayMs: 300 },
    'broken.example': { a: 'SERVFAIL', aaaa: 'SERVFAIL' },
  })
  service = await startWholeService(database, { dnsServers: [dns.address] })
  partner = await service.partner({ mode: 'test' })
})
afterAll(async () => {
  await service.close()
  await dns.close()
})

const get = (path: string, { key } = partner) => service.api.get(path, { key })
const simulate = (body: unknown, { key } = partner) => service.api.post('/simulation/webhooks', { key, body })
const read = (eventId: string, who = partner) => get(`/simulation/webhooks/${eventId}`, who)

/** Asks for a sample that must be accepted, and returns its event id. */
async function sample(body: object, who = partner): Promise<string> {
  const { status, json } = await simulate({ eventType: 'order.completed', ...body }, who)
  expect({ status, json }).toEqual({
    status: 202,
    json: { success: true, data: { eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
  })
  return json.data.eventId
}

/** Waits until the sample is in this state, and gives it. */
async function inState(eventId: string, state: string) {
  await expect.poll(async () => (await read(eventId)).json.data.state, { interval: 25 }).toBe(state)
  return (await read(eventId)).json.data
}

/** Completes an order of these keys, or fails it, on the way of real ones, and returns its event. */
async function realEvent(of: Partner, eventType = 'order.completed', codes = ['A-1']) {
  const result: SupplierAnswer =
    eventType === 'order.completed'
      ? { status: 200, json: { status: 'completed', codes } }
      : { status: 422, json: { errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' } }
  service.supplier.setAnswer(() => result)
  const items = [{ productId: products.key, quantity: codes.length }]
  const { body } = await place(sql(), of, { items, callbackUrl: 'http://127.0.0.1:9/' })
  const find = async () => {
    const [row] = await sql()`select id, order_code, body from supply.events where order_code = ${body.code}`
    return row as { id: string; order_code: string; body: string } | undefined
  }
  await expect.poll(find, { interval: 25 }).toBeDefined()
  const event = await find()
  if (event === undefined) throw new Error('the event is gone')
  return event
}

describe('a simulated event', () => {
  test('of a completed order arrives at once, signed with the secret of the account, in the form of a real one', async () => {
    const receiver = await service.receiver(partner)
    const eventId = await sample({ callbackUrl: `${receiver.url}/hook` })
    const { event, headers, verified } = await receiver.waitFor(() => true, 60_000)
    expect(verified).toBe(true)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Service-B2B-Webhook/1.0',
      'x-webhook-event': 'order.completed',
      'x-idempotency-key': eventId,
    })
    expect(event).toEqual({
      event_id: eventId,
      event_type: 'order.completed',
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        orderCode: expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
        externalOrderId: 'sample-order',
        totalAmount: 600,
        status: 'completed',
        items: [
          { productName: 'Sample top-up', amount: 1, price: 100 },
          {
            productName: 'Sample gift key',
            amount: 2,
            price: 250,
            cdKeys: [{ code: 'SAMPLE-KEY-1' }, { code: 'SAMPLE-KEY-2' }],
          },
        ],
        completedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    })
  })

  test.each(['order.completed', 'order.failed'])(
    '%s has the members of a real one, in the same order',
    async (eventType) => {
      const real = await realEvent(partner, eventType)
      const eventId = await sample({ callbackUrl: 'http://127.0.0.1:9/', eventType })
      const [simulated] = await sql()`select body from supply.events where id = ${eventId}`
      expect(shapeOf(JSON.parse(simulated?.body))).toEqual(shapeOf(JSON.parse(real.body)))
    },
  )

  test('about an own order with that end holds the data of the order, under an event id of its own', async () => {
    const receiver = await service.receiver(partner)
    const real = await realEvent(partner)
    const eventId = await sample({ callbackUrl: receiver.url, orderCode: real.order_code })
    const { event } = await receiver.waitFor(() => true, 60_000)
    expect(event?.event_id).toBe(eventId)
    expect(eventId).not.toBe(real.id)
    expect(event?.data).toEqual(JSON.parse(real.body).data)
  })

  test('about any other order holds sample data with the given code', async () => {
    const receiver = await service.receiver(partner)
    const own = (await realEvent(partner)).order_code
    const others = (await realEvent(await makePartner(sql()))).order_code
    for (const [orderCode, eventType] of [
      [own, 'order.failed'],
      [others, 'order.completed'],
      ['no-such-order', 'order.completed'],
    ] as const) {
      const eventId = await sample({ callbackUrl: receiver.url, orderCode, eventType })
      const { event } = await receiver.waitFor(({ event }) => event?.event_id === eventId, 60_000)
      expect(event?.data).toMatchObject({ orderCode, externalOrderId: 'sample-order', totalAmount: 600 })
    }
  })

  test('changes no balance and no ledger, and calls no supplier', async () => {
    const receiver = await service.receiver(partner)
    const before = await realTraces(service, partner)
    await inState(await sample({ callbackUrl: receiver.url }), 'delivered')
    expect(await realTraces(service, partner)).toEqual(before)
    expect(await audit(sql())).toEqual([])
  })
})

describe('the state of a simulated event', () => {
  test('shows the attempt that delivered it', async () => {
    const receiver = await service.receiver(partner)
    const eventId = await sample({ callbackUrl: `${receiver.url}/hook`, orderCode: 'my-order' })
    const shown = await inState(eventId, 'delivered')
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
    expect(shown).toEqual({
      eventId,
      eventType: 'order.completed',
      orderCode: 'my-order',
      callbackUrl: `${receiver.url}/hook`,
      state: 'delivered',
      deadReason: null,
      nextAttemptAt: null,
      createdAt: time,
      deliveredAt: time,
      deadAt: null,
      attempts: [
        {
          attempt: 1,
          startedAt: time,
          finishedAt: time,
          outcome: 'delivered',
          statusCode: 200,
          error: null,
          retryAfterSeconds: null,
          nextAttemptAt: null,
        },
      ],
    })
    expect((await read(eventId)).headers['cache-control']).toBe('no-store')
  })

  test('shows a refused attempt, and the time of the next one on the ladder', async () => {
    const receiver = await service.receiver(partner, { answer: 500 })
    const eventId = await sample({ callbackUrl: receiver.url })
    await expect.poll(async () => (await read(eventId)).json.data.attempts[0]?.outcome).toBe('retry')
    const { state, nextAttemptAt, attempts } = (await read(eventId)).json.data
    expect(state).toBe('waiting')
    expect(attempts).toMatchObject([{ attempt: 1, statusCode: 500, outcome: 'retry', nextAttemptAt }])
    expect(Date.parse(nextAttemptAt) - Date.parse(attempts[0].finishedAt)).toBe(60_000)
  })

  test('shows a dead letter, and no operator is alerted', async () => {
    const receiver = await service.receiver(partner, { secret: '0'.repeat(64) })
    const shown = await inState(await sample({ callbackUrl: receiver.url }), 'dead')
    expect(shown).toMatchObject({ deadReason: 'http_4xx', attempts: [{ outcome: 'dead', statusCode: 401 }] })
    expect(await sql()`select from ops.alerts where cause like 'dead_letter:%'`).toHaveLength(0)
    expect(await sql()`select from ops.dead_letters`).toHaveLength(0)
  })

  describe('does not show whether the host of the callbackUrl exists', () => {
    const ended = async (eventId: string) => {
      const [row] =
        await sql()`select dead_reason as reason, error from ops.events join ops.delivery_attempts using (event_id)
        where event_id = ${eventId} and dead_at is not null`
      return row
    }
    const beginAttempt = (eventId: string, since: string) => sql()`
      update supply.delivery_attempts set started_at = now() + ${since}::interval where event_id = ${eventId}`

    test.each([
      ['trap.example', 'blocked_address', /10\.1\.2\.3/],
      ['slow-trap.example', 'blocked_address', /10\.1\.2\.3/],
      ['nowhere.example', 'unresolved', /ENOTFOUND/],
      ['broken.example', 'unresolved', /ESERVFAIL/],
    ])('%s', async (host, reason, error) => {
      const eventId = await sample({ callbackUrl: `http://${host}/hook`, orderCode: 'my-order' })
      await expect.poll(() => ended(eventId), { interval: 25 }).toBeDefined()
      expect(await ended(eventId)).toEqual({ reason, error: expect.stringMatching(error) })

      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
      const event = {
        ...{ eventId, eventType: 'order.completed', orderCode: 'my-order' },
        ...{ callbackUrl: `http://${host}/hook`, createdAt: time, deliveredAt: null, nextAttemptAt: null },
      }
      const attempt = { attempt: 1, startedAt: time, statusCode: null, retryAfterSeconds: null, nextAttemptAt: null }
      // Whenever it really ended: how long a name took would tell whether it exists.
      await beginAttempt(eventId, '1 minute')
      const early = (await read(eventId)).json.data
      expect(early).toEqual({
        ...event,
        ...{ state: 'sending', deadReason: null, deadAt: null },
        attempts: [{ ...attempt, finishedAt: null, outcome: null, error: null }],
      })
      await beginAttempt(eventId, '-15 s')
      const { startedAt } = (await read(eventId)).json.data.attempts[0]
      const end = new Date(Date.parse(startedAt) + 15_000).toISOString()
      expect((await read(eventId)).json.data).toEqual({
        ...event,
        ...{ state: 'dead', deadReason: 'host_unreachable', deadAt: end },
        attempts: [{ ...attempt, finishedAt: end, outcome: 'dead', error: 'the host could not be reached' }],
      })
      await sql()`select ops.redeliver(${eventId})`
      expect(JSON.stringify((await read(eventId)).json)).not.toMatch(error)
    })
  })

  test('is 404 for an event of another account, a real event, an unknown event and an invalid id', async () => {
    const other = await makePartner(sql(), { mode: 'test' })
    const theirs = await sample({ callbackUrl: 'http://127.0.0.1:9/' }, other)
    expect((await read(theirs, other)).status).toBe(200)
    const { id: real } = await realEvent(partner)
    for (const id of [theirs, real, crypto.randomUUID(), 'x', '..%2F..']) {
      const { status, json } = await read(id)
      expect({ status, json: withoutRequestId(json) }).toEqual({
        status: 404,
        json: { success: false, error: 'There is no such event', code: 'EVENT_NOT_FOUND' },
      })
    }
  })
})

describe('a request for a simulated event', () => {
  const good = { callbackUrl: 'http://127.0.0.1:9/', eventType: 'order.completed' }
  const fieldsOf = (json: { details: { path: string }[] }) => json.details.map(({ path }) => path).sort()

  test.each([
    ['VALIDATION_ERROR', ['callbackUrl', 'eventType', 'orderCode'], { eventType: 'order.paid', orderCode: 'a b' }],
    ['INVALID_CALLBACK_URL', ['callbackUrl'], { ...good, callbackUrl: 'http://10.0.0.1/x' }],
  ])('is refused by %s, which names %j', async (code, fields, body) => {
    const answer = await simulate(body)
    expect(answer).toMatchObject({ status: 400, json: { code } })
    expect(fieldsOf(answer.json)).toEqual(fields)
  })

  test('is refused if the event about the order would be larger than 64 KiB', async () => {
    const codes = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(1000, 'ж'))
    const { order_code: orderCode } = await realEvent(partner, 'order.completed', codes)
    const { status, json } = await simulate({ ...good, orderCode })
    expect([status, json.code, fieldsOf(json)]).toEqual([400, 'VALIDATION_ERROR', ['orderCode']])
  })

  test('is refused with 429 while a hundred events of the account are open', async () => {
    const crowded = await makePartner(sql(), { mode: 'test' })
    await sql()`
      insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, next_attempt_at, created_at)
      select ${crowded.accountId}, 'x', 'order.completed', 'http://127.0.0.1:9/', '{}', true, now() + interval '1 hour',
        now() - interval '1 hour'
      from generate_series(1, 100)`
    const { status, headers, json } = await simulate(good, crowded)
    expect({ status, json: withoutRequestId(json) }).toEqual({
      status: 429,
      json: { success: false, error: 'Too many samples are still open', code: 'RATE_LIMITED', retryAfter: 60 },
    })
    expect(headers['retry-after']).toBe('60')
  })

  test('needs a key, and a test account, before its body is read', async () => {
    const live = await makePartner(sql())
    const message = 'Simulation is only available for test accounts'
    for (const answer of [await simulate({}, live), await read(crypto.randomUUID(), live)]) {
      expect(answer).toMatchObject({ status: 403, json: { error: 'Forbidden', message } })
    }
    expect((await service.api.get('/simulation/other')).status).toBe(401)
    expect((await get('/simulation/other')).status).toBe(404)
  })
})
