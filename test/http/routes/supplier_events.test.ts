import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { credentialFrom } from '../../../src/suppliers/credential.ts'
import { httpTests } from '../../support/http_tests.ts'
import { leaseCalls } from '../../support/items.ts'
import { products } from '../../support/partner.ts'
import { testApi } from '../../support/service.ts'
import { signedEvent, upstreamEvent } from '../../support/signed.ts'

const environment: { [name: string]: string } = { SUPPLIER_SECRET_FIRST_PUSH: 'from the environment' }
const supplierCredential = (credential: string) => credentialFrom(credential, environment)
const { database, sql, api, post: place } = httpTests({ config: { supplierCredential }, partner: { balance: 100_000 } })
const narrow = testApi(() => database.url, { config: { rateLimitPerMinute: 3 } })

beforeAll(async () => {
  await sql()`update supply.suppliers set protocol = 'b2b', push_secret = 'secret' where code = 'first'`
  await sql()`select ops.upsert_supplier('other', 'http://127.0.0.1:1', 'token')`
})

let itemId: string
beforeEach(async () => {
  const body = { externalOrderId: crypto.randomUUID(), items: [{ productId: products.key, quantity: 2 }] }
  const { json } = await place('/b2b/orders', body)
  itemId = json.data.items[0].id
})

const post = (body: object, { secret = 'secret', supplier = 'first', to = api() } = {}) => {
  const raw = JSON.stringify(body)
  return to.post(`/suppliers/${supplier}/webhooks`, { body: raw, headers: signedEvent(raw, secret) })
}

/** The item is at its supplier, and asked for again in a minute. */
async function isSent(): Promise<void> {
  await leaseCalls(sql(), [itemId])
  await sql()`update supply.order_items set lease_expires_at = null, next_check_at = now() + interval '1 minute'
    where id = ${itemId}`
}

async function isDue(): Promise<boolean> {
  const [item] = await sql()`select next_check_at <= now() as due from supply.order_items where id = ${itemId}`
  return item?.due === true
}

describe('an event that a supplier pushes', () => {
  test('makes the service ask for the item now, and is counted against no budget', async () => {
    await isSent()
    const answer = await post(upstreamEvent('e1', itemId))
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    expect(await isDue()).toBe(true)
    const jobs = await sql()`select available from ops.queue where subject = ${itemId} and run_at <= now()`
    expect(jobs).toEqual([{ available: true }])
  })

  test('that is repeated causes no second look', async () => {
    await isSent()
    await post(upstreamEvent('GIFT-CODE-2', itemId))
    await isSent()
    expect((await post(upstreamEvent('GIFT-CODE-2', itemId))).status).toBe(204)
    expect(await isDue()).toBe(false)
    // Its name may be anything, also a code.
    expect(await sql()`select from supply.supplier_events e where e::text like '%GIFT-CODE%'`).toEqual([])
  })

  test('about an item that was never sent, or is held, or is at no supplier of that name, changes nothing', async () => {
    const before = await sql()`select * from supply.order_items where id = ${itemId}`
    expect((await post(upstreamEvent('e3', itemId))).status).toBe(204)
    expect((await post(upstreamEvent('e4', crypto.randomUUID()))).status).toBe(204)
    expect((await post(upstreamEvent('e5'))).status).toBe(204)
    expect(await sql()`select * from supply.order_items where id = ${itemId}`).toEqual(before)
    await isSent()
    await sql()`update supply.order_items set held_at = now(), held_reason = 'test', next_check_at = null
      where id = ${itemId}`
    expect((await post(upstreamEvent('e6', itemId))).status).toBe(204)
    expect(await isDue()).toBe(false)
  })

  test('is answered by 503 while the item is locked, so that the supplier sends it again', async () => {
    await isSent()
    await sql().begin(async (tx) => {
      await tx`select from supply.order_items where id = ${itemId} for update`
      const answer = await post(upstreamEvent('e7', itemId))
      expect(answer.status).toBe(503)
      expect(answer.headers['retry-after']).toBeDefined()
    })
    expect((await post(upstreamEvent('e7', itemId))).status).toBe(204)
    expect(await isDue()).toBe(true)
  })

  test.each([
    ['with another secret', { secret: 'guess' }],
    ['for a supplier that pushes none', { supplier: 'other' }],
    ['for an unknown supplier', { supplier: 'nobody' }],
    ['for an invalid supplier code', { supplier: '%00' }],
  ])('%s is refused', async (_, options) => {
    await isSent()
    expect((await post(upstreamEvent('e8', itemId), options)).status).toBe(401)
    expect(await isDue()).toBe(false)
  })

  test('that is malformed is refused', async () => {
    expect((await post({})).status).toBe(400)
  })

  test('that is forged counts against the budget', async () => {
    await sql()`delete from supply.rate_windows`
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await post({}, { secret: 'guess', to: narrow() })).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
  })

  test('finds its secret in the environment', async () => {
    await isSent()
    await sql()`update supply.suppliers set push_secret = 'env:SUPPLIER_SECRET_FIRST_PUSH' where code = 'first'`
    try {
      expect((await post(upstreamEvent('e9', itemId))).status).toBe(401)
      expect((await post(upstreamEvent('e9', itemId), { secret: 'from the environment' })).status).toBe(204)
      expect(await isDue()).toBe(true)
    } finally {
      await sql()`update supply.suppliers set push_secret = 'secret' where code = 'first'`
    }
  })
})
