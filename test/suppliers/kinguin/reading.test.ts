import { describe, expect, it } from 'vitest'
import { textKeys } from '../../support/servers/kinguin.ts'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import { kinguinAdapter } from './harness.ts'

const { adapter, kinguin, order, placed, paths } = kinguinAdapter()
/** An order there that has ended with these keys, and the call for it. */
async function ended(keys: object[], call = order(), status = 'completed') {
  const { there, asked } = await placed(call)
  Object.assign(there, { status, keys })
  return { there, asked }
}
const serials = (count: number) => Array.from({ length: count }, (_, n) => `KEY-${n}`)

describe('the keys of an order', () => {
  it('are downloaded to the last page', async () => {
    const { asked } = await ended(textKeys(serials(250)), order({ sku: 'bulk/bulk-o', quantity: 250 }))
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: serials(250) })
    expect(paths().filter((path) => path.endsWith('/keys'))).toHaveLength(3)
  })

  it('are downloaded to the last page though pages are shorter than was asked for', async () => {
    kinguin().pageLimit = 25
    const { asked } = await ended(textKeys(serials(60)), order({ sku: 'bulk/bulk-o', quantity: 60 }))
    expect(await adapter.get(asked)).toMatchObject({ codes: serials(60) })
  })

  it('count once where a page repeats the one before', async () => {
    const keys = textKeys(serials(100))
    const { asked } = await ended(keys, order({ sku: 'bulk/bulk-o', quantity: 110 }))
    kinguin().setFault({
      to: ({ query }) => Number(query.get('page')) > 1,
      damage: () => ({ status: 200, json: [{ ...keys[0], productId: 'bulk' }] }),
    })
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: serials(100) })
  })

  it('are asked for no further once more than were ordered have come', async () => {
    const { asked } = await ended([])
    // Pages without end, each with other keys.
    kinguin().setFault({
      to: ({ path }) => path.endsWith('/keys'),
      damage: ({ status }) => ({
        status,
        json: serials(100).map((serial) => ({ id: crypto.randomUUID(), serial, type: 'text/plain' })),
      }),
    })
    // More codes than ordered: the service keeps them and holds the item.
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: serials(100) })
    expect(paths().filter((path) => path.endsWith('/keys'))).toHaveLength(1)
  })

  it('are refused as soon as one is longer than a key can be', async () => {
    const keys = textKeys(serials(250).map((serial) => serial.padEnd(1001)))
    const { asked } = await ended(keys, order({ sku: 'bulk/bulk-o', quantity: 250 }))
    expect(await adapter.get(asked)).toMatchObject({
      outcome: 'unknown',
      error: 'the answer is unusable: a key is longer than 1000 characters',
      raw: null,
    })
    expect(paths().filter((path) => path.endsWith('/keys'))).toHaveLength(1)
  })

  it('of which one is an image are held, with those that are text', async () => {
    const [text = {}, image] = textKeys(['AAAA-1', 'aW1hZ2U='])
    const { there, asked } = await ended([text, { ...image, type: 'image/png' }])
    expect(await adapter.get(asked)).toMatchObject({
      outcome: 'hold',
      error: '1 of 2 keys are no text',
      codes: ['AAAA-1'],
      supplierOrderId: there.orderId,
    })
  })

  it('that were returned are not delivered', async () => {
    const [good = {}, bad] = textKeys(['AAAA-1', 'BBBB-2'])
    const { asked } = await ended([good, { ...bad, status: 'RETURNED' }])
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: ['AAAA-1'] })
  })

  it.each(['reset', 'not JSON', { status: 500 }, { status: 404, json: { kind: 'OrderNotFound' } }] as const)(
    'after %j are asked for again',
    async (damage) => {
      const { asked } = await ended(textKeys(serials(2)))
      kinguin().setFault({ to: ({ path }) => path.endsWith('/keys'), damage })
      const outcome = await adapter.get(asked)
      expect(outcome).toMatchObject({ outcome: 'unknown' })
      expect(JSON.stringify(outcome)).not.toContain('KEY-')
    },
  )
})

describe.each(['canceled', 'refunded'])('an order that was %s', (status) => {
  it('without keys has failed, and none are asked for', async () => {
    const keys = textKeys(serials(2)).map((key) => ({ ...key, status: 'REFUNDED' }))
    const { asked } = await ended(keys, order(), status)
    expect(await adapter.get(asked)).toMatchObject({ status: 'failed', errorCode: 'SUPPLIER_ERROR', codes: [] })
    expect(paths().some((path) => path.endsWith('/keys'))).toBe(false)
  })

  it('has failed in part where some keys are good', async () => {
    const [good = {}, bad] = textKeys(['AAAA-1', 'BBBB-2'])
    const { asked } = await ended([good, { ...bad, status: 'CANCELED' }], order(), status)
    expect(await adapter.get(asked)).toMatchObject({ status: 'failed', codes: ['AAAA-1'] })
  })

  it('is held where the status of a key is none that is known, for it may be in use', async () => {
    const keys = textKeys(serials(2)).map((key) => ({ ...key, status: 'SENT' }))
    const { asked } = await ended(keys, order(), status)
    expect(await adapter.get(asked)).toMatchObject({ outcome: 'hold', codes: serials(2) })
  })

  it('is held where it is not said which keys are good', async () => {
    const { asked } = await ended(textKeys(serials(2)), order(), status)
    kinguin().setFault({ damage: withoutStatuses })
    expect(await adapter.get(asked)).toMatchObject({ outcome: 'hold', codes: serials(2) })
  })
})

describe('an order there', () => {
  it('is found by our reference where its name is not known there', async () => {
    const { there, asked } = await placed(order())
    expect(await adapter.get({ ...asked, supplierOrderId: 'ANOTHER' })).toMatchObject({
      status: 'processing',
      supplierOrderId: there.orderId,
    })
  })

  it('of another search result has an unknown outcome', async () => {
    await placed(order())
    const call = order({ firstSentAt: new Date() })
    kinguin().setFault({
      damage: ({ status }) => ({ status, json: { results: kinguin().orders, item_count: kinguin().orders.length } }),
    })
    expect(await adapter.get(call)).toMatchObject({ outcome: 'unknown' })
    kinguin().setFault({ damage: { status: 200, json: { results: [], item_count: 3 } } })
    expect(await adapter.get(call)).toMatchObject({ outcome: 'unknown' })
  })

  it('that several offers serve is one', async () => {
    const { asked } = await placed(order({ quantity: 3 }))
    kinguin().setFault({
      damage: ({ status, json }) => {
        const { products, ...there } = json as { products: object[] }
        const [product] = products
        return {
          status,
          json: {
            ...there,
            products: [
              { ...product, qty: 1, price: 4 },
              { ...product, qty: 2, price: 4.3 },
            ],
          },
        }
      },
    })
    expect(await adapter.get(asked)).toMatchObject({ status: 'processing', unitPrice: 4.2, currency: 'EUR' })
  })
})

function withoutStatuses(answer: StandInAnswer): StandInAnswer {
  const json = answer.json as { products?: object[] }
  if (json.products === undefined) return answer
  return { ...answer, json: { ...json, products: json.products.map((product) => ({ ...product, keys: undefined })) } }
}
