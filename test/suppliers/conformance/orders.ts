import { describe, expect, it } from 'vitest'
import type { SupplierOutcome } from '../../../src/suppliers/outcome.ts'
import type { Standing } from './driver.ts'
import { type Bench, sent } from './suite.ts'

const processing: Standing = { status: 'processing', codes: [] }

/** The outcomes of orders while the supplier answers without a fault. */
export function describeOrders(bench: Bench): void {
  const { driver, supplier, order, put, get, completed, deliversKeys, repeats } = bench
  const { outcomes } = driver

  describe(`${driver.protocol}: an order`, () => {
    it('that is accepted is processing, and one order at the supplier', async () => {
      const call = order(processing)
      expect(await put(call)).toMatchObject({ outcome: 'answered', status: 'processing' })
      expect(await get(sent(call))).toMatchObject({ outcome: 'answered', status: 'processing' })
      expect(supplier().ordersFor(call.reference)).toBe(1)
    })

    it('that is completed later is found by our reference, or by the id that the supplier gave it', async () => {
      const call = order(processing)
      const accepted = await put(call)
      supplier().plan(call.reference, completed)
      expect(await get(sent(call))).toMatchObject({ outcome: 'answered', ...completed })
      expect(await get(sent(call, accepted))).toMatchObject({ outcome: 'answered', ...completed })
    })

    it('that is processing has no codes, even if the supplier sent some', async () => {
      const call = order({ ...processing, codes: ['AAAA-1'] })
      const accepted = await put(call)
      expect(accepted).toMatchObject({ outcome: 'answered', status: 'processing', codes: [] })
      expect(await get(sent(call, accepted))).toMatchObject({ status: 'processing', codes: [] })
    })

    const endings: [what: string, codes: string[]][] = [['that fails later has failed', []]]
    if (deliversKeys) endings.push(['of which a part comes has failed, with those codes', ['AAAA-1']])
    it.each(endings)('%s', async (_, codes) => {
      const call = order(processing)
      const accepted = await put(call)
      supplier().plan(call.reference, { status: 'failed', codes })
      expect(await get(sent(call, accepted))).toMatchObject({ outcome: 'answered', status: 'failed', codes })
    })

    it.runIf(deliversKeys).each([
      ['too few', ['AAAA-1']],
      ['too many', ['AAAA-1', 'BBBB-2', 'CCCC-3']],
    ])('that is completed with %s codes has exactly these', async (_, codes) => {
      const call = order(processing)
      const accepted = await put(call)
      supplier().plan(call.reference, { status: 'completed', codes })
      const outcome = await get(sent(call, accepted))
      expect(['answered', 'hold']).toContain(outcome.outcome)
      if (outcome.outcome === 'answered') expect(outcome.status).toBe('completed')
      expect(outcome).toMatchObject({ codes })
    })

    it('that is refused for its content makes no order at the supplier', async () => {
      const call = order('refuse')
      expect(await put(call)).toMatchObject(outcomes.refused)
      expect(supplier().ordersFor(call.reference)).toBe(0)
    })

    it('for a product that the supplier does not have is out of stock', async () => {
      const call = order('out of stock')
      expect(await put(call)).toMatchObject({
        outcome: 'answered',
        status: 'failed',
        errorCode: 'OUT_OF_STOCK',
        codes: [],
      })
      expect(supplier().ordersFor(call.reference)).toBe(0)
    })

    if (outcomes.balanceSpent !== undefined) {
      it('for which our balance at the supplier is too low may be sent again', async () => {
        const call = order('balance spent')
        expect(await put(call)).toMatchObject(outcomes.balanceSpent ?? {})
        expect(supplier().ordersFor(call.reference)).toBe(0)
        supplier().plan(call.reference, completed)
        expect(await put(sent(call))).toMatchObject({ outcome: 'answered', ...completed })
        expect(supplier().ordersFor(call.reference)).toBe(1)
      })
    }

    it.runIf(repeats)('that the supplier never received is placed by the first question, once', async () => {
      const call = order(completed)
      expect(await get(call)).toMatchObject({ outcome: 'answered', ...completed })
      expect(await get(call)).toMatchObject({ outcome: 'answered', ...completed })
      expect(supplier().ordersFor(call.reference)).toBe(1)
    })

    it.skipIf(repeats)('that the supplier never received is not received, however often it is asked for', async () => {
      const call = order(completed)
      expect(await get(sent(call))).toEqual({ outcome: 'not_received' })
      expect(await get(sent(call))).toEqual({ outcome: 'not_received' })
      expect(supplier().ordersFor(call.reference)).toBe(0)
    })

    it('that is completed at once has its codes, and put twice is one order, with the same answer', async () => {
      const call = order(completed)
      const first = await put(call)
      expect(first).toMatchObject({ outcome: 'answered', ...completed })
      expect(essenceOf(await put(sent(call)))).toEqual(essenceOf(first))
      expect(supplier().ordersFor(call.reference)).toBe(1)
    })

    it('is not mixed up with another at the same supplier', async () => {
      const plans: Standing[] = deliversKeys
        ? [
            { ...completed, codes: ['1-A', '1-B'] },
            { ...completed, codes: ['2-A', '2-B'] },
          ]
        : [completed, processing]
      const [one, two] = [order(plans[0]), order(plans[1])]
      await put(one)
      await put(two)
      expect(await get(sent(two))).toMatchObject(plans[1] ?? {})
      expect(await get(sent(one))).toMatchObject(plans[0] ?? {})
    })
  })
}

/** Without the status over HTTP, which may differ between the first answer and a repeated one. */
function essenceOf(outcome: SupplierOutcome): object {
  return { ...outcome, httpStatus: null }
}
