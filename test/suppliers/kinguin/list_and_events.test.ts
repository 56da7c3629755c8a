import { describe, expect, it } from 'vitest'
import { testProduct } from '../../support/servers/kinguin.ts'
import { kinguinAdapter } from './harness.ts'

const { adapter, kinguin, order, paths } = kinguinAdapter()

describe('the list', () => {
  const list = (...skus: string[]) => adapter.list?.(order(), skus)

  it('has the cheapest price of a product and the price of one offer, and leaves out unknown products', async () => {
    const [expensive] = testProduct('game', { price: 6.5, textQty: 3 }).offers
    kinguin()
      .products.get('game')
      ?.offers.push({ ...expensive, offerId: 'expensive' } as never)
    expect(await list('game', 'game/expensive', 'game/none', 'none', 'not a sku')).toEqual({
      ok: true,
      offers: [
        { sku: 'game', cost: '4.75', currency: 'EUR', stock: 1_000 },
        { sku: 'game/expensive', cost: '6.50', currency: 'EUR', stock: 3 },
      ],
    })
    expect(paths()).toEqual(['GET /v2/products/game', 'GET /v2/products/none'])
  })

  it('shows a stock of 0 for a pre-order', async () => {
    kinguin().products.set('game', { ...testProduct('game'), isPreorder: true })
    expect(await list('game')).toMatchObject({ offers: [{ stock: 0 }] })
  })

  it('leaves the stock unknown where text keys are not counted, and rounds prices up', async () => {
    const json = { productId: 'game', price: 4.751, qty: 7 }
    kinguin().setFault({ damage: () => ({ status: 200, json }) })
    expect(await list('game')).toMatchObject({ offers: [{ cost: '4.76', stock: null }] })
  })

  it('has a price with the noise of binary fractions as it was meant', async () => {
    kinguin().setFault({
      damage: () => ({ status: 200, json: { productId: 'game', price: 4.750000000000001, qty: 7 } }),
    })
    expect(await list('game')).toMatchObject({ offers: [{ cost: '4.75' }] })
  })

  it('has a product that makes no sense as a problem of its own skus', async () => {
    kinguin().products.set('other', testProduct('other'))
    const to = ({ path }: { path: string }) => path.endsWith('/game')
    kinguin().setFault({ damage: () => ({ status: 200, json: { productId: 'game', price: '4.75', qty: 7 } }), to })
    expect(await list('game', 'other')).toMatchObject({
      ok: true,
      offers: [
        { sku: 'game', problem: 'price must be a number' },
        { sku: 'other', cost: '4.75' },
      ],
    })
  })

  it.each<[string, unknown, unknown, unknown]>([
    ['plain text', 'Two games', 'Enter it in Steam', { description: 'Two games', redeem: 'Enter it in Steam' }],
    [
      'Markdown',
      '1 < 2, see <https://a.example>',
      null,
      { description: '1 < 2, see <https://a.example>', redeem: null },
    ],
    ['8 KiB', 'ж'.repeat(4096), 7, { description: 'ж'.repeat(4096), redeem: null }],
    ['HTML in one text', 'Two games', '<b>Enter</b> it', { description: 'Two games', redeem: null }],
    ['HTML', '<script>alert(1)</script>', 'Enter it', undefined],
    ['HTML with line ends', 'Two games<img\nsrc=x>', 'Enter it', undefined],
    ['an end tag', 'Two games</p>', null, undefined],
    ['over 8 KiB', 'x'.repeat(8193), null, undefined],
    ['a character that PostgreSQL does not take', 'Two\u0000games', null, undefined],
    ['a broken character', 'Two\ud800games', null, undefined],
    ['blanks', ' ', 'Enter it', undefined],
    ['no text', { html: 'x' }, null, undefined],
  ])('of a product with %s has its texts only where a shop can show them', async (_, description, redeem, texts) => {
    const json = { productId: 'game', price: 4.75, qty: 7, description, activationDetails: redeem }
    kinguin().setFault({ damage: () => ({ status: 200, json }) })
    const offer = { sku: 'game', cost: '4.75', currency: 'EUR', stock: null }
    const expected = texts === undefined ? offer : { ...offer, texts: { locale: 'en', terms: null, ...texts } }
    expect(await list('game')).toEqual({ ok: true, offers: [expected] })
  })

  it('is an error where another server answers 404', async () => {
    kinguin().setFault({ damage: { status: 404, json: { error: 'no such host' } } })
    expect(await list('game')).toEqual({ ok: false, error: 'HTTP 404', httpStatus: 404 })
  })
})

describe('an event', () => {
  const secret = 'a-secret-of-events'
  const read = (body: unknown, name = 'order.status') =>
    adapter.readEvent?.({
      headers: { 'x-event-name': name, 'x-event-secret': secret },
      rawBody: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      secret,
      now: new Date(),
    })
  const reference = crypto.randomUUID()
  const event = { orderId: 'K1', orderExternalId: reference, status: 'completed', updatedAt: '2026-01-01' }

  it('is named by the order, its status and when that changed', () => {
    expect(read(event)).toEqual({ ok: true, eventId: 'K1 completed 2026-01-01', reference, says: 'delivered' })
    for (const status of ['canceled', 'refunded']) expect(read({ ...event, status })).toMatchObject({ says: 'failed' })
    expect(read({ ...event, status: 'processing' })).not.toHaveProperty('says')
    expect(read({ ...event, orderExternalId: reference.toUpperCase() })).toMatchObject({ reference })
  })

  it('without our reference is about the order with the id of Kinguin', () => {
    for (const orderExternalId of [null, undefined]) {
      const ours = { ok: true, eventId: 'K1 completed 2026-01-01', supplierOrderId: 'K1', says: 'delivered' }
      expect(read({ ...event, orderExternalId })).toEqual(ours)
    }
  })

  it.each([
    ['{', 'malformed'],
    [{}, 'malformed'],
    [{ ...event, orderId: 'K\u0000' }, 'malformed'],
    [{ ...event, orderId: 'K'.repeat(65) }, 'malformed'],
    [{ ...event, orderExternalId: 'theirs' }, 'ignored'],
  ])('of %j is not read', (body, problem) => {
    expect(read(body)).toEqual({ ok: false, problem })
  })
})
