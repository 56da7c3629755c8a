import { describe, expect, it } from 'vitest'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import { refusal } from '../../support/servers/upstream_stand_in.ts'
import { b2bDriver, changeItems, changeOrders } from '../conformance/b2b_driver.ts'
import { completed } from '../conformance/driver.ts'
import { sent, setUp } from '../conformance/suite.ts'

const { supplier, order, put, get, during } = setUp(b2bDriver)

const requestsFor = (reference: string) =>
  supplier().requests.filter(({ rawBody, query }) => `${rawBody}${query}`.includes(reference))

describe('an order', () => {
  it('is placed under the reference of its item, at our cost at most', async () => {
    const call = order(completed, { deliveryData: { gameUserId: '12345', гость: true } })
    await put(call)
    const [request, ...others] = requestsFor(call.reference)
    expect(others).toEqual([])
    expect(request).toMatchObject({ method: 'POST', path: '/b2b/orders' })
    expect(request?.headers).toMatchObject({
      'x-api-key': call.token,
      'x-idempotency-key': call.reference,
      'content-type': 'application/json',
    })
    expect(request?.body).toEqual({
      externalOrderId: call.reference,
      items: [{ productId: 112, quantity: 2, deliveryData: { gameUserId: '12345', гость: true }, maxPrice: 790 }],
    })
  })

  it.each([null, '0.00'])('whose cost is %s has no limit of its price', async (unitCost) => {
    const call = order(completed, { unitCost })
    await put(call)
    expect(requestsFor(call.reference)[0]?.body).toMatchObject({ items: [{ productId: 112, quantity: 2 }] })
    expect(requestsFor(call.reference)[0]?.rawBody).not.toContain('maxPrice')
  })

  it('has a callbackUrl where the supplier is to push events', async () => {
    const eventsUrl = 'https://supply.example/suppliers/upstream/webhooks'
    const call = order(completed, { eventsUrl })
    await put(call)
    expect(requestsFor(call.reference)[0]?.body).toMatchObject({ callbackUrl: eventsUrl })
  })

  it.each(['KEY-112', '0', '0112', '1.5', '-1', '2147483648', ''])(
    'of the sku %j is not sent, for it names no product',
    async (sku) => {
      const call = order(completed, { sku })
      expect(await put(call)).toMatchObject({ outcome: 'not_placed', cause: 'settings' })
      expect(requestsFor(call.reference)).toEqual([])
    },
  )

  it('that is answered by its code alone is processing', async () => {
    for (const data of [{ code: 'ord_1' }, { paymentCode: 'pay_1', orders: [{ code: 'ord_1', total: 1 }] }]) {
      const call = order(completed)
      const damage = { status: 201, json: { success: true, data } }
      expect(await during({ damage }, () => put(call))).toMatchObject({
        outcome: 'answered',
        status: 'processing',
        supplierOrderId: 'ord_1',
      })
      const foreign = { ...damage, json: { data: { ...data, externalOrderId: 'shop-7' } } }
      expect(await during({ damage: foreign }, () => put(call))).toMatchObject({ outcome: 'unknown' })
    }
  })

  it.each([
    ['../../admin', 'data.code must be the code of an order'],
    [7, 'data.code must be a string'],
  ])('with the code %j has an unknown outcome', async (code, problem) => {
    const damage = changeOrders(() => ({ code }))
    expect(await during({ damage }, () => put(order(completed)))).toMatchObject({
      outcome: 'unknown',
      error: `the answer is unusable: ${problem}`,
    })
  })

  it('that costs more than we allowed is held when it is new, and taken as it is when it is asked for', async () => {
    const call = order(completed)
    const damage = changeItems((item) => ({ ...item, price: 790.01 }))
    const outcome = await during({ damage }, () => put(call))
    expect(outcome).toMatchObject({ outcome: 'hold', error: 'the order costs more than was allowed', codes: [] })
    expect(await during({ damage }, () => put(sent(call)))).toMatchObject({ outcome: 'answered' })
    expect(await during({ damage }, () => get(sent(call)))).toMatchObject({ outcome: 'answered', ...completed })
  })
})

describe('a refusal', () => {
  const outcomeOf = (damage: StandInAnswer) => during({ damage }, () => put(order(completed)))

  it.each(['PRODUCT_UNAVAILABLE', 'PRODUCT_NOT_FOUND', 'QUANTITY_OUT_OF_RANGE', 'PRICE_CHANGED'])(
    'with %s is out of stock, for another supplier may have it',
    async (code) => {
      expect(await outcomeOf(refusal(422, code))).toEqual({
        outcome: 'answered',
        status: 'failed',
        errorCode: 'OUT_OF_STOCK',
        codes: [],
        reason: null,
        supplierOrderId: null,
        httpStatus: 422,
      })
    },
  )

  it('for an unknown reason has an unknown outcome where the order was sent before, which may be the reason', async () => {
    const damage = refusal(422, 'EXTERNAL_ORDER_ID_TAKEN')
    expect(await during({ damage }, () => put(sent(order(completed))))).toMatchObject({
      outcome: 'unknown',
      error: 'HTTP 422 EXTERNAL_ORDER_ID_TAKEN',
    })
  })

  it.each([
    [400, 'VALIDATION_ERROR'],
    [400, 'INVALID_CALLBACK_URL'],
    [404, 'NOT_FOUND'],
    [405, 'METHOD_NOT_ALLOWED'],
    [413, 'BODY_TOO_LARGE'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('by %i %s is for our settings, and not the fault of the item', async (status, code) => {
    expect(await outcomeOf(refusal(status, code))).toMatchObject({
      outcome: 'not_placed',
      cause: 'settings',
      error: `HTTP ${status} ${code}`,
    })
  })

  const partnersOnly = 'This endpoint is only available for B2B API partners'
  const limited = { success: false, error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 17 }
  const failed = { outcome: 'answered', status: 'failed' }
  const reason = expect.stringMatching(/^Данные для доставки/)

  it.each<[string, StandInAnswer, object]>([
    ['for another reason is a failure', refusal(422, 'SOMETHING_NEW'), { ...failed, errorCode: 'SUPPLIER_ERROR' }],
    [
      'of the delivery data is a failure that a buyer can understand',
      refusal(400, 'DELIVERY_DATA_INVALID'),
      { ...failed, errorCode: 'DELIVERY_DATA_INVALID', reason },
    ],
    [
      'for our balance is reported as that without its code',
      { status: 402, json: { success: false, error: 'Insufficient balance' } },
      { outcome: 'not_placed', cause: 'balance' },
    ],
    [
      'of our key by 403 is reported as that',
      { status: 403, json: { error: 'Forbidden', message: partnersOnly } },
      { outcome: 'not_placed', cause: 'credentials' },
    ],
    [
      'of too many requests is waited for as long as it asks',
      { status: 429, json: limited, headers: { 'retry-after': '17' } },
      { outcome: 'not_placed', cause: 'busy', retryAfter: 17 },
    ],
  ])('%s', async (_, answer, expected) => {
    expect(await outcomeOf(answer)).toMatchObject(expected)
  })

  it.each([
    ['a 401 of something before the upstream', { status: 401, json: { status: 'failed' } }],
    ['a 403 of something before the upstream', { status: 403, json: { error: 'WAF' } }],
    ['a 402 without its words', refusal(402, 'PAYMENT', 'Pay first')],
    ['a 422 without its words', { status: 422, json: { message: 'no' } }],
    ['a 409 that names no other body', refusal(409, 'CONFLICT')],
    ['a 503 of the family', refusal(503, 'UNAVAILABLE')],
    ['a 500 with the words of a refusal', refusal(500, 'PRODUCT_UNAVAILABLE')],
    ['a 202', { status: 202, json: { success: true, data: { code: 'ord_1' } } }],
  ] as [string, StandInAnswer][])('is not assumed after %s', async (_, damage) => {
    expect(await outcomeOf(damage)).toMatchObject({ outcome: 'unknown', httpStatus: damage.status })
  })

  it('has no unknown code in its error', async () => {
    const outcome = await outcomeOf(refusal(400, 'a secret; drop table'))
    expect(outcome).toMatchObject({ error: 'HTTP 400 with an unknown code' })
  })
})

describe('a reference that is bound to another body', () => {
  const first = 'https://one.example/suppliers/upstream/webhooks'
  const second = 'https://two.example/suppliers/upstream/webhooks'

  it('is our order where it is found, as after a change of our own address', async () => {
    const call = order(completed, { eventsUrl: first })
    await put(call)
    const again = await put({ ...sent(call), eventsUrl: second })
    expect(again).toMatchObject({ outcome: 'answered', status: 'processing' })
    expect(await get(sent(call, again))).toMatchObject({ outcome: 'answered', ...completed })
    expect(supplier().ordersFor(call.reference)).toBe(1)
  })

  it('is held where no order is found', async () => {
    const call = order(completed)
    const other = refusal(409, 'IDEMPOTENCY_KEY_REUSED', 'idempotency_key_reused_with_different_body')
    expect(await during({ damage: other, to: 'placing' }, () => put(call))).toMatchObject({
      outcome: 'hold',
      httpStatus: 409,
      codes: [],
    })
  })

  it('has an unknown outcome where the look-up is lost', async () => {
    const call = order(completed, { eventsUrl: first })
    await put(call)
    const repeat = () => put({ ...sent(call), eventsUrl: second })
    for (const damage of ['reset', { status: 503 }, 'not JSON'] as const) {
      expect(await during({ damage, to: 'reading' }, repeat)).toMatchObject({ outcome: 'unknown' })
    }
  })

  it('that holds another quantity is held when it is read', async () => {
    const call = order(completed)
    await put({ ...call, quantity: 3 })
    const repeated = await put(sent(call))
    expect(repeated).toMatchObject({ outcome: 'answered', status: 'processing' })
    expect(await get(sent(call, repeated))).toMatchObject({ outcome: 'hold', codes: [] })
  })
})
