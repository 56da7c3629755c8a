import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import type { SupplierOutcome } from '../../../src/suppliers/outcome.ts'
import { startIdleCloser } from '../../support/servers/idle_closer.ts'
import { type Damage, type Fault, type StandInRequest, startStandIn } from '../../support/servers/supplier_stand_in.ts'
import { completed as completedKeys } from './driver.ts'
import { type Bench, sent } from './suite.ts'

const statuses = [204, 300, 301, 302, 307, 308, 400, 401, 403, 404, 408, 409, 422, 425, 429, 500, 502, 503, 504]

/** Each with whether only the caller ends the wait for it. */
const damages: [what: string, damage: Damage, hasty: boolean][] = [
  ['the connection is cut before the answer', 'reset', false],
  ['the connection is cut within the body', 'cut', false],
  ['no answer comes in time', 'silence', true],
  ['the body does not end in time', 'stall', true],
  ['the answer is larger than 1 MiB', 'oversized', false],
  ['the answer is not JSON', 'not JSON', false],
  ['the answer is JSON of another kind', { status: 200, json: ['completed', 7, null] }, false],
  ['the answer is null', { status: 200, json: null }, false],
]

/** The outcome of a call is unknown where the supplier or the network fails, unless it is certain. */
export function describeFaults(bench: Bench): void {
  describeIdleConnections(bench)
  describeLostPlacings(bench)
  describeLostReadings(bench)
  describeForeignOrders(bench)
  describeUnsent(bench)
}

function describeLostPlacings({ driver, supplier, hasty, order, put, get, during, completed, repeats }: Bench): void {
  const { protocol, outcomes } = driver

  /** A PUT whose answer is damaged. One that would be waited for is given up once the supplier has the request. */
  function lose(call: SupplierCall, fault: Fault, isHasty: boolean): Promise<SupplierOutcome> {
    const controller = new AbortController()
    const to = ({ places }: StandInRequest) => {
      if (places && isHasty) setImmediate(() => controller.abort())
      return places
    }
    return during({ ...fault, to }, () => put(call, { signal: controller.signal }))
  }

  describe(`${protocol}: a PUT`, () => {
    it.each(damages)(
      'has an unknown outcome where %s, and the next GET finds its order',
      async (_, damage, isHasty) => {
        const call = order(completed)
        expect(await lose(call, { damage, carriedOut: true }, isHasty)).toMatchObject({ outcome: 'unknown' })
        expect(await get(sent(call))).toMatchObject({ outcome: 'answered', ...completed })
        expect(supplier().ordersFor(call.reference)).toBe(1)
      },
    )

    it.each(damages)(
      'has an unknown outcome where %s, and the next GET does not find its order',
      async (_, damage, isHasty) => {
        const call = order(completed)
        expect(await lose(call, { damage }, isHasty)).toMatchObject({ outcome: 'unknown' })
        const found = await get(sent(call))
        // A question places it where the supplier is asked by repeating.
        if (repeats) expect(found).toMatchObject({ outcome: 'answered', ...completed })
        else expect(found).toEqual({ outcome: 'not_received' })
        expect(supplier().ordersFor(call.reference)).toBe(repeats ? 1 : 0)
      },
    )

    it.each(['silence', 'stall'] as const)('times out at the time limit of the adapter: %s', async (damage) => {
      const outcome = await during({ damage }, () => put(order(completed), { adapter: hasty() }))
      expect(outcome).toMatchObject({ outcome: 'unknown', error: 'timeout' })
    })

    it('whose answer is lost leads to no second order, even if it is repeated', async () => {
      const call = order(completed)
      await during({ to: 'placing', damage: 'reset', carriedOut: true }, () => put(call))
      expect(await put(sent(call))).toMatchObject({ outcome: 'answered', ...completed })
      expect(supplier().ordersFor(call.reference)).toBe(1)
    })

    it.each(statuses)(
      'that is answered by %i without a body has no other outcome than that status has',
      async (status) => {
        const call = order(completed)
        const outcome = await during({ to: 'placing', damage: { status } }, () => put(call))
        // By a 401 the worker knows that it has to renew a token.
        expect(outcome).toMatchObject({
          ...(outcomes.byStatus?.[status] ?? { outcome: 'unknown' }),
          httpStatus: status,
        })
      },
    )

    it('that is answered by a redirect is not sent elsewhere', async () => {
      const elsewhere = await startStandIn({ places: () => true, answer: () => ({ status: 200, json: {} }) })
      const headers = { location: `${elsewhere.url}/orders` }
      await during({ damage: { status: 307, headers } }, () => put(order(completed)))
      expect(elsewhere.requests).toEqual([])
      await elsewhere.close()
    })

    it('may be answered slowly, and so may a GET', async () => {
      const call = order(completed)
      for (const ask of [() => put(call), () => get(sent(call))]) {
        expect(await during({ damage: { delayMs: 100 } }, ask)).toMatchObject({ outcome: 'answered', ...completed })
      }
    })

    it('with a credential that is not accepted makes no order', async () => {
      const call = order(completed)
      const { nextToken = 'the-next-token' } = supplier()
      supplier().changeToken(nextToken)
      expect(await put(call)).toMatchObject(outcomes.tokenExpired)
      expect(await get(sent(call))).toMatchObject(repeats ? outcomes.tokenExpired : { outcome: 'unknown' })
      expect(supplier().ordersFor(call.reference)).toBe(0)
      expect(await put({ ...call, token: nextToken })).toMatchObject({ outcome: 'answered', ...completed })
      supplier().changeToken(supplier().token)
    })
  })
}

function describeIdleConnections({ driver, supplier, order, put, get }: Bench): void {
  const { repeatSafeSeconds } = driver.create({ timeoutMs: 1 }).capabilities
  if (repeatSafeSeconds !== 0) return

  describe(`${driver.protocol}: an order that is not safe to repeat`, () => {
    it('arrives though the supplier closes idle connections just when a request comes', async () => {
      const balancer = await startIdleCloser(supplier().url)
      const call = order({ status: 'processing', codes: [] }, { baseUrl: balancer.url })
      expect(await get(sent(call))).toEqual({ outcome: 'not_received' })
      // A connection is idle a moment after its answer.
      await sleep(50)
      expect(await put(call)).toMatchObject({ outcome: 'answered' })
      expect(supplier().ordersFor(call.reference)).toBe(1)
      await balancer.close()
    })
  })
}

function describeLostReadings({ driver, hasty, order, put, get, during, completed, repeats }: Bench): void {
  describe(`${driver.protocol}: a GET`, () => {
    it.each(damages)('has an unknown outcome where %s, and can be repeated', async (_, damage, isHasty) => {
      const call = order(completed)
      await put(call)
      const using = isHasty ? { adapter: hasty() } : {}
      const outcome = await during({ to: repeats ? 'placing' : 'reading', damage }, () => get(sent(call), using))
      expect(outcome).toMatchObject({ outcome: 'unknown' })
      expect(await get(sent(call))).toMatchObject({ outcome: 'answered', ...completed })
    })

    it.each(statuses.filter((status) => status !== 404))(
      'that is answered by %i has an unknown outcome',
      async (status) => {
        const call = order(completed)
        await put(call)
        expect(
          await during({ to: repeats ? 'placing' : 'reading', damage: { status } }, () => get(sent(call))),
        ).toMatchObject({ outcome: 'unknown', httpStatus: status })
      },
    )
  })
}

function describeForeignOrders({ driver, supplier, order, put, get, during, completed }: Bench): void {
  describe.each(Object.entries(driver.foreign))(`${driver.protocol}: an answer that %s`, (_what, damage) => {
    it('to a PUT gives no outcome and no codes', async () => {
      const call = order(completed)
      expectNothingTaken(await during({ damage }, () => put(call)))
    })

    it('to a GET gives no outcome and no codes', async () => {
      const call = order(completed)
      const placed = await put(call)
      for (const asked of [sent(call), sent(call, placed)]) {
        expectNothingTaken(await during({ damage }, () => get(asked)))
      }
      expect(supplier().ordersFor(call.reference)).toBe(1)
    })
  })
}

function expectNothingTaken(outcome: SupplierOutcome): void {
  expect(['unknown', 'hold']).toContain(outcome.outcome)
  for (const code of completedKeys.codes) expect(JSON.stringify(outcome)).not.toContain(code)
}

function describeUnsent({ driver, supplier, order, put, get, completed, repeats }: Bench): void {
  describe(`${driver.protocol}: a call`, () => {
    it('that is aborted before it begins sends nothing', async () => {
      const call = order(completed)
      const count = supplier().requests.length
      const signal = AbortSignal.abort()
      expect(await put(call, { signal })).toMatchObject({ outcome: 'unknown' })
      expect(await get(sent(call), { signal })).toMatchObject({ outcome: 'unknown' })
      expect(supplier().requests).toHaveLength(count)
    })

    it('that is aborted while it waits has an unknown outcome', async () => {
      const call = order(completed)
      const controller = new AbortController()
      supplier().setFault({
        damage: 'silence',
        to: () => {
          controller.abort()
          return true
        },
      })
      expect(await put(call, { signal: controller.signal })).toMatchObject({ outcome: 'unknown' })
    })

    it('places no order once its lease may have ended, not even after a search for it', async () => {
      const late = order(completed, { maySend: () => false })
      for (const call of [late, sent(late)]) {
        expect(await put(call)).toMatchObject({ outcome: 'not_placed', cause: 'late' })
        expect(supplier().ordersFor(call.reference)).toBe(0)
      }
      expect(await put({ ...late, maySend: () => true })).toMatchObject({ outcome: 'answered' })
    })

    it('to a port where no server listens was not received', async () => {
      const silent = await startStandIn({ places: () => true, answer: () => ({ status: 200 }) })
      await silent.close()
      const call = order(completed, { baseUrl: silent.url })
      const notPlaced = { outcome: 'not_placed', cause: 'unreachable' }
      expect(await put(call)).toMatchObject(notPlaced)
      expect(await get(sent(call))).toMatchObject(repeats ? notPlaced : { outcome: 'unknown' })
    })

    it.each(['nonsense', 'ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/', 'http://127.0.0.1/?a=1'])(
      'to the unusable base URL %s is not sent',
      async (baseUrl) => {
        const call = order(completed, { baseUrl })
        const notPlaced = { outcome: 'not_placed', cause: 'settings' }
        expect(await put(call)).toMatchObject(notPlaced)
        expect(await get(sent(call))).toMatchObject(repeats ? notPlaced : { outcome: 'unknown' })
      },
    )

    it('with a token that no header can hold is not sent', async () => {
      const call = order(completed, { token: 'line\nbreak' })
      const count = supplier().requests.length
      for (const outcome of [await put(call), await get(sent(call))]) {
        expect(['unknown', 'not_placed']).toContain(outcome.outcome)
      }
      expect(supplier().requests).toHaveLength(count)
    })
  })
}
