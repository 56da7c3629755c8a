import { beforeAll, describe, expect, test } from 'vitest'
import { answered, finishAttempt, leaseAttempt, makeEvent, rungs, unreachable } from '../../support/events.ts'
import { httpTests } from '../../support/http_tests.ts'
import { answer, completed, failed, leaseCalls, processing } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { withoutRequestId } from '../../support/service.ts'
import { timePasses } from '../../support/sql/passing_time.ts'

const { sql, partner, get, post } = httpTests({ partner: { balance: 10_000 } })
const callbackUrl = 'https://hooks.example/x'

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
  await sql()`select ops.upsert_offer(${products.key}, 'second', 'sku', priority => 200)`
})

const read = async (code: string) => (await get(`/b2b/orders/${code}`)).json.data
const redeliver = (eventId: string, who = partner()) => post(`/b2b/events/${eventId}/redeliver`, undefined, {}, who)

async function codeOf(eventId: string): Promise<string> {
  const [row] = await sql()`select order_code as code from ops.events where event_id = ${eventId}`
  return row?.code
}

const deliveriesOf = async (eventId: string) => (await read(await codeOf(eventId))).deliveries

async function attempt(eventId: string, result: object): Promise<string> {
  return finishAttempt(sql(), await leaseAttempt(sql(), eventId), result)
}

/** An event that was delivered at once, or is a dead letter at once. */
async function madeFinal(status: number): Promise<string> {
  const eventId = await makeEvent(sql(), partner())
  await attempt(eventId, answered(status))
  return eventId
}

/** A minute passes since the partner last had the event redelivered. */
const minutePasses = (eventId: string) => sql()`
  update supply.redelivery_requests set requested_at = requested_at - interval '1 minute' where event_id = ${eventId}`

describe('the deliveries of an order', () => {
  test('are null while there is no event, and after a partial result', async () => {
    const { body } = await place(sql(), partner(), {
      callbackUrl,
      items: [{ productId: products.topUp }, { productId: products.topUp }],
    })
    const [first, second] = body.items.map(({ id }) => id)
    expect(await read(body.code)).toMatchObject({ status: 'processing', deliveries: null })
    await answer(sql(), first ?? '', completed())
    await answer(sql(), second ?? '', failed())
    expect(await read(body.code)).toMatchObject({ outcome: 'partial', deliveries: null })
  })

  test('show the event while it waits, is sent, is refused and is delivered', async () => {
    const eventId = await makeEvent(sql(), partner())
    const deliveries = { eventId, attempts: 0, nextAttemptAt: expect.any(String), lastStatus: null }
    expect(await deliveriesOf(eventId)).toEqual({ ...deliveries, state: 'waiting', lastError: null })
    const first = await leaseAttempt(sql(), eventId)
    const sending = { ...deliveries, attempts: 1, nextAttemptAt: null, lastError: null }
    expect(await deliveriesOf(eventId)).toEqual({ ...sending, state: 'sending' })
    await finishAttempt(sql(), first, answered(503))
    const [event] = await sql()`select next_attempt_at as at from ops.events where event_id = ${eventId}`
    expect(await deliveriesOf(eventId)).toEqual({
      ...{ eventId, state: 'waiting', attempts: 1, nextAttemptAt: event?.at.toISOString() },
      ...{ lastStatus: 503, lastError: 'http_503' },
    })
    await attempt(eventId, answered(204))
    expect(await deliveriesOf(eventId)).toEqual({
      ...{ eventId, state: 'delivered', attempts: 2, nextAttemptAt: null },
      ...{ lastStatus: 204, lastError: null },
    })
  })

  test('show a failure without an answer by a word, and not by the text that operators see', async () => {
    const eventId = await makeEvent(sql(), partner())
    await attempt(eventId, unreachable('what the operators read', 'timeout'))
    expect(await deliveriesOf(eventId)).toMatchObject({ attempts: 1, lastStatus: null, lastError: 'timeout' })
  })

  test('are not in lists, nor in the answer to the order', async () => {
    const eventId = await madeFinal(200)
    const [order] = (await get('/b2b/orders?limit=1')).json.data.orders
    expect(order.code).toBe(await codeOf(eventId))
    expect(order).not.toHaveProperty('deliveries')
    const body = { externalOrderId: 'bare', items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }] }
    const placed = await post('/b2b/orders', body)
    expect(placed.json.data).not.toHaveProperty('deliveries')
  })
})

describe('the timeline of an order', () => {
  const timeline = (code: string, who = partner()) => get(`/b2b/orders/${code}/timeline`, {}, who)
  /** The entries, each without what is null, and without its time. */
  async function told(code: string): Promise<object[]> {
    const { status, headers, json } = await timeline(code)
    expect({ status, code: json.data.code }).toEqual({ status: 200, code })
    expect(headers['cache-control']).toBe('no-store')
    const entries: { at: string }[] = json.data.entries
    const times = entries.map(({ at }) => at)
    expect(times).toEqual([...times].sort())
    return entries.map(({ at, ...entry }) =>
      Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)),
    )
  }

  test('shows all that the partner may know, in order of time', async () => {
    const { body } = await place(sql(), partner(), {
      externalOrderId: 'told',
      callbackUrl,
      items: [{ productId: products.key, quantity: 2 }, { productId: products.topUp }],
    })
    const [key, topUp] = body.items.map(({ id }) => id)
    const passes = (interval: string) => timePasses(sql(), interval)
    const soldOut = failed({ errorCode: 'OUT_OF_STOCK', reason: 'SECRET of the supplier' })
    await answer(sql(), key ?? '', soldOut)
    await passes('1 second')
    await answer(sql(), key ?? '', processing())
    await answer(sql(), topUp ?? '', failed())
    await passes('1 second')
    await answer(sql(), key ?? '', failed({ reason: 'SECRET' }))
    const event = (await read(body.code)).deliveries.eventId
    await passes('1 second')
    await attempt(event, unreachable('TLS: SECRET', 'tls_error'))
    await passes('2 minutes')
    await attempt(event, answered(404))
    await passes('1 hour')
    await sql()`select ops.redeliver(${event})`
    await attempt(event, answered(410))
    await passes('1 hour')
    expect((await redeliver(event)).status).toBe(202)
    await attempt(event, answered(200))

    const entries = await told(body.code)
    expect(entries).toEqual([
      { what: 'placed' },
      { what: 'charged', amount: 50.5 },
      { what: 'sent_to_supplier', itemId: key },
      { what: 'sent_to_supplier', itemId: topUp },
      { what: 'item_failed', itemId: topUp },
      { what: 'item_failed', itemId: key },
      { what: 'order_failed' },
      { what: 'refunded', itemId: key, amount: 40 },
      { what: 'refunded', itemId: topUp, amount: 10.5 },
      { what: 'event_created' },
      { ...{ what: 'delivery_attempt', round: 1, attempt: 1, error: 'tls_error' }, nextAttemptAt: expect.any(String) },
      { what: 'delivery_attempt', round: 1, attempt: 2, status: 404, error: 'http_404' },
      { what: 'given_up', round: 1, attempt: 2 },
      { what: 'round_started', round: 2 },
      { what: 'delivery_attempt', round: 2, attempt: 1, status: 410, error: 'http_410' },
      { what: 'given_up', round: 2, attempt: 1 },
      { what: 'round_started', round: 3 },
      { what: 'delivery_attempt', round: 3, attempt: 1, status: 200 },
      { what: 'delivered', round: 3, attempt: 1 },
    ])
    expect((await timeline(body.code)).text).not.toMatch(/first|second|SECRET|OUT_OF_STOCK/)
  })

  test('is short while nothing happened', async () => {
    const { body } = await place(sql(), partner())
    expect(await told(body.code)).toEqual([{ what: 'placed' }, { what: 'charged', amount: 10.5 }])
    await leaseCalls(sql(), [body.items[0]?.id ?? ''])
    expect(await told(body.code)).toHaveLength(3)
  })

  test('has the last twenty of many rounds', async () => {
    const eventId = await madeFinal(200)
    await sql()`update supply.events set round = 30 where id = ${eventId}`
    await sql()`insert into supply.redelivery_requests (event_id, round, key_id)
      select ${eventId}, n, ${partner().keyId} from generate_series(2, 30) n`
    await sql()`insert into supply.delivery_attempts (event_id, round, attempt, lease_token, finished_at, status_code, outcome)
      select ${eventId}, n, 1, gen_random_uuid(), now(), 200, 'delivered' from generate_series(2, 30) n`
    const entries = await told(await codeOf(eventId))
    expect(entries[0]).toEqual({ what: 'placed' })
    const ofRounds = entries.flatMap((entry) => ('round' in entry ? [entry.round] : []))
    expect(ofRounds).toHaveLength(60)
    expect(new Set(ofRounds)).toEqual(new Set(Array.from({ length: 20 }, (_, n) => n + 11)))
  })

  test('is 404 for an order of another account, and for an invalid code', async () => {
    const other = await makePartner(sql())
    const { body } = await place(sql(), other)
    expect((await timeline(body.code, other)).status).toBe(200)
    for (const code of [body.code, 'ord_unknown', '..%2F..', 'a b']) {
      expect(await timeline(code)).toMatchObject({ status: 404, json: { code: 'ORDER_NOT_FOUND' } })
    }
  })
})

describe('a redelivery that the partner asks for', () => {
  test.each([
    ['a dead letter', 404],
    ['a delivered event', 200],
  ])('starts a new round of nine attempts of %s, with the same event and a job at once', async (_, status) => {
    const eventId = await madeFinal(status)
    const [before] = await sql()`select body from supply.events where id = ${eventId}`
    const answer = await redeliver(eventId)
    expect({ status: answer.status, json: answer.json }).toEqual({
      status: 202,
      json: {
        success: true,
        data: {
          ...{ eventId, state: 'waiting', attempts: 0, nextAttemptAt: expect.any(String) },
          ...{ lastStatus: status, lastError: status === 200 ? null : 'http_404' },
        },
      },
    })
    expect(await sql()`select from core.jobs where subject = ${eventId} and is_available`).toHaveLength(1)
    for (let n = 1; n < 9; n += 1) expect(await attempt(eventId, answered(500))).toBe('retry')
    expect(await attempt(eventId, answered(500))).toBe('attempts_exhausted')
    const waits = await sql()`
      select extract(epoch from next_attempt_at - finished_at)::int as wait from ops.delivery_attempts
      where event_id = ${eventId} and round = 2 order by attempt`
    expect(waits.map(({ wait }) => wait)).toEqual([...rungs, null])
    expect(await deliveriesOf(eventId)).toMatchObject({ state: 'dead', attempts: 9 })
    const [after] = await sql()`select body from supply.events where id = ${eventId}`
    expect(after?.body).toBe(before?.body)
    expect(await audit(sql())).toEqual([])
  })

  test('is refused within a minute of the last one, however many ask at once', async () => {
    const eventId = await madeFinal(404)
    const answers = await Promise.all(Array.from({ length: 5 }, () => redeliver(eventId)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429, 429])
    await attempt(eventId, answered(200))
    const { status, headers, json } = await redeliver(eventId)
    expect({ status, json: withoutRequestId(json) }).toEqual({
      status: 429,
      json: {
        success: false,
        error: 'The event was redelivered within the last minute',
        code: 'RATE_LIMITED',
        retryAfter: Number(headers['retry-after']),
      },
    })
    expect(json.retryAfter).toBeGreaterThanOrEqual(1)
    expect(json.retryAfter).toBeLessThanOrEqual(60)
    await minutePasses(eventId)
    expect((await redeliver(eventId)).status).toBe(202)
  })

  test('is refused beyond 60 in a minute of the account, and counts per account', async () => {
    const eventIds = [await madeFinal(404), await madeFinal(404), await madeFinal(404)]
    expect((await redeliver(eventIds[0] ?? '')).status).toBe(202)
    await sql()`update supply.rate_windows set hits = 59
      where kind = 'redeliveries' and subject = ${partner().accountId}::text`
    const answers = await Promise.all(eventIds.slice(1).map((eventId) => redeliver(eventId)))
    const [accepted, refused] = answers.sort((a, b) => a.status - b.status)
    expect(accepted?.status).toBe(202)
    expect(refused).toMatchObject({
      status: 429,
      json: {
        ...{ success: false, error: 'Too many redeliveries in one minute', code: 'RATE_LIMITED' },
        retryAfter: Number(refused?.headers['retry-after']),
      },
    })
    const other = await makePartner(sql())
    const theirs = await makeEvent(sql(), other)
    await attempt(theirs, answered(404))
    expect((await redeliver(theirs, other)).status).toBe(202)
    await sql()`update supply.rate_windows set started_at = started_at - interval '61 s'`
    expect((await redeliver(await madeFinal(404))).status).toBe(202)
  })

  test('is refused while the event is being delivered, or held', async () => {
    const eventId = await makeEvent(sql(), partner())
    const refusal = { status: 422, json: { success: false, code: 'EVENT_NOT_FINAL' } }
    expect(await redeliver(eventId)).toMatchObject(refusal)
    const first = await leaseAttempt(sql(), eventId)
    expect(await redeliver(eventId)).toMatchObject(refusal)
    await finishAttempt(sql(), first, answered(500))
    expect(await redeliver(eventId)).toMatchObject(refusal)
    await sql()`update supply.events set state = 'held', next_attempt_at = null where id = ${eventId}`
    expect(await redeliver(eventId)).toMatchObject(refusal)
    expect(await deliveriesOf(eventId)).toMatchObject({ state: 'held', attempts: 1 })
    await sql()`update supply.events set state = 'queued', next_attempt_at = now() where id = ${eventId}`
  })

  test('is 404 for an event of another account, a sample, and an unknown event', async () => {
    const other = await makePartner(sql(), { mode: 'test' })
    const theirs = await makeEvent(sql(), other)
    await attempt(theirs, answered(404))
    const [sample] = await sql()`
      select event_id from api.simulate_webhook(${partner().accountId}, ${callbackUrl}, 'order.completed')`
    await attempt(sample?.event_id, answered(404))
    for (const eventId of [theirs, sample?.event_id, crypto.randomUUID(), 'x', '..%2F..']) {
      expect(await redeliver(eventId)).toMatchObject({ status: 404, json: { code: 'EVENT_NOT_FOUND' } })
    }
    const [stays] = await sql()`select state from ops.events where event_id = ${theirs}`
    expect(stays?.state).toBe('dead')
    expect((await redeliver(theirs, other)).status).toBe(202)
  })

  test('is in the story of the event as the action of the partner, beside the redeliveries of operators', async () => {
    const eventId = await madeFinal(404)
    await sql()`select ops.redeliver(${eventId})`
    const [unrequested] = await sql()`select redelivery_requested_at as at from ops.events where event_id = ${eventId}`
    expect(unrequested).toEqual({ at: null })
    await attempt(eventId, answered(404))
    expect((await redeliver(eventId)).status).toBe(202)
    const [event] = await sql()`
      select redelivery_requested_at as at, round from ops.events where event_id = ${eventId}`
    expect(event).toEqual({ at: expect.any(Date), round: 3 })
    await attempt(eventId, answered(404))
    await sql()`select ops.redeliver_all(${partner().accountId}, '-infinity', dry_run => false)`
    const byOperator = { actor: expect.stringMatching(/^operator ./), what: 'redelivers' }
    expect(await sql()`select actor, what, detail from ops.order_story(${eventId}) where what = 'redelivers'`).toEqual([
      { ...byOperator, detail: 'round 2 of nine attempts begins' },
      {
        ...{ actor: 'partner', what: 'redelivers' },
        detail: `round 3 of nine attempts begins, requested with key ${partner().keyId}`,
      },
      { ...byOperator, detail: 'round 4 of nine attempts begins' },
    ])
    expect(await audit(sql())).toEqual([])
  })
})
