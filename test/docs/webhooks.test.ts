import { describe, expect, it } from 'vitest'
import { signature } from '../../src/messages/sign.ts'
import { testDatabase } from '../support/database.ts'
import { leaseAttempt, rungs } from '../support/events.ts'
import { answer, completed, failed } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makePartner, products } from '../support/partner.ts'
import { blocksOf, fieldsOf, guideText } from './guide_text.ts'

const guide = guideText('webhooks')

const blocks = blocksOf(guide)

describe('the signature in the guide', () => {
  it('of one body on the command line is the one that the service makes', () => {
    const { text } = blocks.find(({ text }) => text.includes('openssl dgst')) ?? { text: '' }
    const [, timestamp = '', body = ''] = /'(\d+)\.(.*)'/.exec(text) ?? []
    const secret = /-hmac ([0-9a-f]{64})/.exec(text)?.[1] ?? ''
    const hex = /# ([0-9a-f]{64})/.exec(text)?.[1]
    expect(signature(secret, timestamp, body)).toBe(`sha256=${hex}`)
    expect(guide).toContain(`X-Webhook-Signature: sha256=${hex}`)
  })
})

describe('the ladder in the guide', () => {
  it('is the one that the service climbs', () => {
    const units: Record<string, number> = { minute: 60, hour: 3600 }
    const rows = [...guide.matchAll(/^\| \d \| (\d+) (minute|hour)s? \|/gm)]
    expect(rows.map(([, count, unit = '']) => Number(count) * (units[unit] ?? 0))).toEqual(rungs)
  })
})

describe('the events in the guide', () => {
  const database = testDatabase({ catalog: true })
  const examples = blocks.filter(({ language }) => language === 'json')
  const exampleOf = (type: string): unknown =>
    examples.map(({ text }) => JSON.parse(text)).find(({ event_type }) => event_type === type)

  /** The body of a real event: of an order for two keys and a top-up whose lines all end as told. */
  async function realEvent(outcomes: object[]): Promise<unknown> {
    const partner = await makePartner(database.sql)
    const items = [{ productId: products.key, quantity: 2 }, { productId: products.topUp }]
    const { body } = await place(database.sql, partner, { callbackUrl: 'https://hooks.example/x', items })
    for (const [index, { id }] of body.items.entries()) {
      await answer(database.sql, id, outcomes[index] ?? {})
    }
    const [event] = await database.sql`select event_id from ops.events where order_code = ${body.code}`
    const attempt = await leaseAttempt(database.sql, event?.event_id)
    return JSON.parse(attempt.body)
  }

  it('have exactly the fields of a real order.completed, in their order', async () => {
    const real = await realEvent([completed({ codes: ['AAAAA', 'BBBBB'] }), completed()])
    expect(fieldsOf(exampleOf('order.completed'))).toEqual(fieldsOf(real))
  })

  it('have exactly the fields of a real order.failed, in their order', async () => {
    const example = exampleOf('order.failed') as { data: { reason: string } }
    const { reason } = example.data
    const real = await realEvent([failed({ errorCode: 'PLAYER_NOT_FOUND', reason }), failed()])
    expect(fieldsOf(example)).toEqual(fieldsOf(real))
    expect(real).toMatchObject({ data: { reason } })
  })
})
