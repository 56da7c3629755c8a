import { describe, expect, it } from 'vitest'
import type { ReadEvent, SupplierEvent } from '../../../src/suppliers/adapter.ts'
import type { Damage, StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import type { Bench } from './suite.ts'

/** Answers from which nothing can be read. */
const damages: Exclude<Damage, (answer: StandInAnswer) => StandInAnswer>[] = [
  ...(['reset', 'cut', 'silence', 'oversized', 'not JSON'] as const),
  ...[{ status: 503 }, { status: 401 }, { status: 200, json: [7] }],
]

/** The list of what a supplier has. */
export function describeList({ driver, adapter, hasty, supplier, order, during }: Bench): void {
  const { protocol, call } = driver
  const { sku = '', unitCost, currency } = call
  const offer = { sku, cost: unitCost ?? '4.75', currency: currency ?? 'EUR', stock: 12 }
  const promised = driver.create({ timeoutMs: 1 }).capabilities.listsOffers

  describe(`${protocol}: the list`, () => {
    it(promised ? 'is supported' : 'is not supported', () => {
      expect(adapter().list !== undefined).toBe(promised)
      expect(adapter().capabilities.listsOffers).toBe(promised)
    })
    if (!promised) return

    const list = (skus: string[], using = adapter()) => using.list?.(order(), skus)

    it('has the cost and the stock of each sku that is asked for, and leaves out unknown skus', async () => {
      supplier().list?.(offer)
      const stock = supplier().hidesStock ? null : offer.stock
      expect(await list([sku])).toEqual({ ok: true, offers: [{ ...offer, stock }] })
      expect(await list(['no-such-sku'])).toEqual({ ok: true, offers: [] })
      expect(await list([])).toEqual({ ok: true, offers: [] })
    })

    it('shows a stock of 0', async () => {
      supplier().list?.({ ...offer, stock: 0 })
      expect(await list([sku])).toEqual({ ok: true, offers: [{ ...offer, stock: 0 }] })
    })

    it.each(damages)('is an error after %j, and not an empty list', async (damage) => {
      const listing = await during({ damage }, async () => list([sku], damage === 'silence' ? hasty() : adapter()))
      expect(listing).toMatchObject({ ok: false, error: expect.stringMatching(/./) })
      expect(JSON.stringify(listing)).not.toContain(supplier().token)
    })
  })
}

/** Our balance at a supplier. */
export function describeBalance({ driver, adapter, hasty, supplier, order, during }: Bench): void {
  const { protocol, call } = driver
  const promised = driver.create({ timeoutMs: 1 }).capabilities.reportsBalance === true

  describe(`${protocol}: our balance`, () => {
    it(promised ? 'is supported' : 'is not supported', () => {
      expect(adapter().balance !== undefined).toBe(promised)
    })
    if (!promised) return

    it.each([0, 12_345])('of %d is read by one request, which places nothing and keeps the pace', async (balance) => {
      supplier().fund?.(balance)
      const before = supplier().requests.length
      const madeAtPace: number[] = []
      const pace = async () => void madeAtPace.push(supplier().requests.length - before)
      const reading = await adapter().balance?.(order(undefined, { pace }))
      expect(reading).toEqual({ ok: true, balance, currency: call.currency ?? 'EUR' })
      expect(supplier().requests.slice(before)).toMatchObject([{ places: false }])
      expect(madeAtPace).toEqual([0])
    })

    it.each(damages)('is not known after %j, and not 0', async (damage) => {
      const using = damage === 'silence' ? hasty() : adapter()
      const reading = await during({ damage }, async () => using.balance?.(order()))
      expect(reading).toMatchObject({ ok: false, error: expect.stringMatching(/./) })
      expect(JSON.stringify(reading)).not.toContain(supplier().token)
    })

    it('is not known where the credential is not accepted', async () => {
      const token = supplier().nextToken ?? 'another-token'
      expect(await adapter().balance?.(order(undefined, { token }))).toMatchObject({ ok: false })
    })
  })
}

/** The events that a supplier pushes. */
export function describeEvents({ driver, adapter, supplier }: Bench): void {
  const { protocol, events } = driver
  const read = (event: SupplierEvent): ReadEvent | undefined => adapter().readEvent?.(event)

  describe(`${protocol}: an event`, () => {
    it(events === undefined ? 'is not supported' : 'is supported', () => {
      expect(adapter().capabilities.pushes === 'events').toBe(events !== undefined)
      expect(adapter().readEvent !== undefined).toBe(events !== undefined)
    })
    if (events === undefined) return

    it('names its item, and has the same id when it is repeated', () => {
      const reference = crypto.randomUUID()
      const event = events.about(reference, supplier())
      const said = read(event)
      expect(said).toMatchObject({ ok: true, eventId: expect.stringMatching(/^.{1,200}$/), reference })
      expect(read({ ...event })).toEqual(said)
      expect(read(events.about(crypto.randomUUID(), supplier()))).not.toMatchObject({
        eventId: said?.ok && said.eventId,
      })
    })

    it('about something else is ignored', () => {
      expect(read(events.other(supplier()))).toEqual({ ok: false, problem: 'ignored' })
    })

    it('without a valid signature is refused with any body', () => {
      const event = events.about(crypto.randomUUID(), supplier())
      const refused = { ok: false, problem: 'bad_signature' }
      expect(read({ ...event, secret: 'another-secret' })).toEqual(refused)
      expect(read(events.unproven?.(event) ?? { ...event, headers: {} })).toEqual(refused)
      expect(read({ ...event, headers: {}, rawBody: Buffer.from('{') })).toEqual(refused)
    })
  })
}
