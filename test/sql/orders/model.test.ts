import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answered, finishAttempt, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, notPlaced, processing, record, unknown } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { audit, balanceOf, type OrderRequest, place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

// Random histories of one account against a small model of it, which knows no lease, no job and no batch: what a partner
// was charged, what was delivered, what came back, and what its receiver was sent. Money is in kopecks.
const { sql, push, eventsOf, eventOf } = itemTests()

type Item = {
  id: string
  isKey: boolean
  price: number
  quantity: number
  state: 'open' | 'held' | 'final'
  /** Whether a supplier may have it. */
  isSent: boolean
  isCancelled: boolean
  /** How many units were delivered; of a held item, how many codes came. */
  delivered: number
  refundedByHand: number
}
type Event = { state: 'waiting' | 'delivered' | 'dead'; attempts: number }
type Order = { code: string; request: OrderRequest; items: Item[]; event?: Event; isFinal: boolean }
type Model = { balance: number; orders: Order[] }
type Real = { partner: Partner }

const prices = { [products.topUp]: 1_050, [products.key]: 2_000 } as { [id: number]: number }
const codes = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())
const nth = <T>(list: T[], n: number): T | undefined => list[n % Math.max(1, list.length)]
const itemsOf = ({ orders }: Model, fits: (item: Item, order: Order) => boolean) =>
  orders.flatMap((order) => order.items.filter((item) => fits(item, order)).map((item) => ({ order, item })))
const sumOf = (items: Item[], amount: (item: Item) => number) => items.reduce((sum, one) => sum + amount(one), 0)

/** Ends an item, and its order with its last one: what was not delivered is refunded then. */
function end(model: Model, order: Order, item: Item, delivered: number): void {
  Object.assign(item, { state: 'final', delivered })
  if (order.isFinal || order.items.some(({ state }) => state !== 'final')) return
  order.isFinal = true
  model.balance += refundOf(order)
  if (order.request.callbackUrl && outcomeOf(order) !== 'partial') order.event = { state: 'waiting', attempts: 0 }
}

const refundOf = ({ items }: Order) => sumOf(items, ({ price, quantity, delivered }) => price * (quantity - delivered))

function outcomeOf({ items }: Order): 'full' | 'none' | 'partial' {
  const delivered = sumOf(items, (item) => item.delivered)
  if (delivered === 0) return 'none'
  return delivered === sumOf(items, ({ quantity }) => quantity) ? 'full' : 'partial'
}

/** What the order must look like to its partner. */
function shown(order: Order): object {
  if (!order.isFinal) return { status: 'processing', outcome: null, refundedAmount: 0 }
  const outcome = outcomeOf(order)
  return { status: outcome === 'full' ? 'completed' : 'failed', outcome, refundedAmount: refundOf(order) / 100 }
}

/** Picks an item that fits, and its order. */
const anItem = (n: number, fits: (item: Item, order: Order) => boolean) => (model: Model) =>
  nth(itemsOf(model, fits), n)

type Step = { check(model: Model): boolean; run(model: Model, real: Real): Promise<void>; toString(): string }

/** A step that works on what `pick` finds, and cannot be made where that is nothing. */
function step<T>(
  name: string,
  pick: (model: Model) => T | undefined,
  run: (model: Model, what: T, real: Real) => Promise<void>,
): Step {
  return {
    check: (model) => pick(model) !== undefined,
    run: (model, real) => run(model, pick(model) as T, real),
    toString: () => name,
  }
}

const placing = (lines: [isKey: boolean, quantity: number][], hasCallback: boolean) =>
  step(
    `place(${JSON.stringify(lines)}, ${hasCallback})`,
    () => lines,
    async (model, _, { partner }) => {
      const items = lines.map(([isKey, quantity]) => ({ productId: isKey ? products.key : products.topUp, quantity }))
      const callbackUrl = hasCallback ? 'https://hooks.example/x' : null
      const request = { items, callbackUrl, externalOrderId: crypto.randomUUID() }
      const total = items.reduce((sum, { productId, quantity }) => sum + (prices[productId] ?? 0) * quantity, 0)
      const { result, body } = await place(sql(), partner, request)
      expect(result).toBe(total > model.balance ? 'INSUFFICIENT_BALANCE' : 'created')
      if (result !== 'created') return
      model.balance -= total
      const made = lines.map(([isKey, quantity], index): Item => {
        const price = prices[isKey ? products.key : products.topUp] ?? 0
        const fresh = { state: 'open', isSent: false, isCancelled: false, delivered: 0, refundedByHand: 0 } as const
        return { id: body.items[index]?.id ?? '', isKey, price, quantity, ...fresh }
      })
      model.orders.push({ code: body.code, request, items: made, isFinal: false })
    },
  )

const repeating = (n: number, isChanged: boolean) =>
  step(
    `repeat(${n}, ${isChanged})`,
    ({ orders }) => nth(orders, n),
    async (_, { request, code }, { partner }) => {
      const again = isChanged ? { ...request, callbackUrl: 'https://hooks.example/other' } : request
      const { result, body } = await place(sql(), partner, again)
      expect(result).toBe(isChanged ? 'IDEMPOTENCY_KEY_REUSED' : 'replayed')
      expect(isChanged ? body.orderCode : body.code).toBe(code)
    },
  )

const answers = ['completed', 'too few', 'failed', 'a part', 'processing', 'unknown', 'not placed', 'lost'] as const

const answering = (n: number, said: (typeof answers)[number]) =>
  step(
    `answer(${n}, ${said})`,
    anItem(n, ({ state }) => state === 'open'),
    async (model, { order, item }) => {
      const { id, isKey, quantity } = item
      const settle = async (result: object, delivered: number) => {
        expect(await answer(sql(), id, result)).toBe('settled')
        end(model, order, item, delivered)
      }
      const wait = async (result: object) => expect(await answer(sql(), id, result)).toBe('waiting')
      const isUnsent = !item.isSent
      item.isSent = true
      if (said === 'completed') return settle(completed({ codes: codes(isKey ? quantity : 0) }), quantity)
      if (said === 'failed') return settle(failed(), 0)
      if (said === 'a part') return settle(failed({ codes: codes(isKey ? quantity - 1 : 0) }), isKey ? quantity - 1 : 0)
      if (said === 'too few' && isKey) {
        expect(await answer(sql(), id, completed({ codes: codes(quantity - 1) }))).toBe('held')
        Object.assign(item, { state: 'held', delivered: quantity - 1 })
      } else if (said === 'lost') {
        const [old] = await leaseCalls(sql(), [id])
        await sql()`update supply.order_items set lease_expires_at = now() - interval '1 s' where id = ${id}`
        const [present] = await leaseCalls(sql(), [id])
        if (!old || !present) throw new Error('not leased')
        expect(await record(sql(), old, failed())).toBe('stale')
        expect(await record(sql(), present, unknown())).toBe('waiting')
      } else if (said === 'not placed' && isUnsent) {
        await wait(notPlaced())
        item.isSent = false
      } else await wait(said === 'processing' ? processing() : unknown())
    },
  )

const contradicting = (n: number) =>
  step(
    `contradict(${n})`,
    anItem(n, ({ state }) => state === 'final'),
    async (_, { item: { id, isKey, quantity, delivered } }) => {
      await push('first', id, delivered > 0 ? failed() : completed({ codes: codes(isKey ? quantity : 0) }))
    },
  )

const cancelling = (n: number) =>
  step(
    `cancel(${n})`,
    ({ orders }) => nth(orders, n),
    async (model, order, { partner }) => {
      const [row] = await sql()`select result from api.cancel_order(${partner.accountId}, ${order.code})`
      const unsent = order.items.filter(({ state, isSent }) => state === 'open' && !isSent)
      const isDone = unsent.length > 0 || order.items.some(({ isCancelled }) => isCancelled)
      expect(row?.result).toBe(isDone ? 'cancelled' : 'NOT_CANCELLABLE')
      for (const item of unsent) {
        item.isCancelled = true
        end(model, order, item, 0)
        expect(await leaseCalls(sql(), [item.id])).toEqual([])
      }
    },
  )

const settling = (n: number) =>
  step(
    `settle(${n})`,
    anItem(n, ({ state }) => state === 'held'),
    async (model, { order, item }) => {
      expect(await leaseCalls(sql(), [item.id])).toEqual([])
      await sql()`select ops.settle_item(${item.id}, 'failed', reason => 'a test')`
      end(model, order, item, item.delivered)
    },
  )

const refunding = (n: number, amount: number) =>
  step(
    `refund(${n}, ${amount})`,
    anItem(n, ({ delivered }, { isFinal }) => isFinal && delivered > 0),
    async (model, { item }) => {
      const refund = sql()`select ops.refund_item(${item.id}, ${amount / 100}, ${crypto.randomUUID()}, 'a test')`
      if (item.refundedByHand + amount > item.price * item.delivered) {
        await expect(refund).rejects.toMatchObject(refusals.belowZero)
        return
      }
      await refund
      item.refundedByHand += amount
      model.balance += amount
    },
  )

const delivering = (n: number, status: number | 'lost'): Step =>
  step(
    `deliver(${n}, ${status})`,
    ({ orders }) =>
      nth(
        orders.flatMap(({ code, event }) => (event?.state === 'waiting' ? [{ code, event }] : [])),
        n,
      ),
    async (_, { code, event }) => {
      const id = (await eventsOf(code))[0]?.id
      const leased = await leaseAttempt(sql(), id)
      event.attempts += 1
      expect(leased.attempt).toBe(event.attempts)
      if (status === 'lost') {
        await sql()`update supply.events set lease_expires_at = now() - interval '10 s' where id = ${id}`
        await sql()`select work.begin_deliveries(${[id]}, 4194304)`
      } else await finishAttempt(sql(), leased, answered(status))
      if (status === 200) event.state = 'delivered'
      else if (status === 404 || event.attempts === 9) event.state = 'dead'
      expect(await finishAttempt(sql(), leased, answered(200))).toBe('stale')
    },
  )

const redelivering = (n: number) =>
  step(
    `redeliver(${n})`,
    ({ orders }) =>
      nth(
        orders.flatMap(({ code, event }) => (event?.state === 'dead' ? [{ code, event }] : [])),
        n,
      ),
    async (_, { code, event }) => {
      await sql()`select ops.redeliver(id) from supply.events where order_code = ${code}`
      Object.assign(event, { state: 'waiting', attempts: 0 })
    },
  )

const at = fc.nat(50)
const line = fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 3 }))
const lines = fc.array(line, { minLength: 1, maxLength: 2 })
const stepsWithWeights: [weight: number, arbitrary: fc.Arbitrary<Step>][] = [
  [2, fc.tuple(lines, fc.boolean()).map((given) => placing(...given))],
  [1, fc.tuple(at, fc.boolean()).map((given) => repeating(...given))],
  [5, fc.tuple(at, fc.constantFrom(...answers)).map((given) => answering(...given))],
  [5, fc.tuple(at, fc.constantFrom('completed', 'failed')).map((given) => answering(...given))],
  [1, at.map(contradicting)],
  [1, at.map(cancelling)],
  [1, at.map(settling)],
  [1, fc.tuple(at, fc.integer({ min: 1, max: 4_000 })).map((given) => refunding(...given))],
  [
    8,
    fc
      .tuple(at, fc.constantFrom<(number | 'lost')[]>(200, 500, 500, 500, 404, 'lost'))
      .map((given) => delivering(...given)),
  ],
  [1, at.map(redelivering)],
]
const anyStep = fc.oneof(...stepsWithWeights.map(([weight, arbitrary]) => ({ weight, arbitrary })))

type Shown = { status: string; amount: number; cdKeys?: object[] }

async function compare({ balance, orders }: Model, { partner }: Real): Promise<void> {
  expect(Math.round((await balanceOf(sql(), partner)) * 100)).toBe(balance)
  for (const order of orders) {
    const { status, items, ...rest } = await oneValue(
      sql()`select body from api.get_order(${partner.accountId}, ${order.code})`,
    )
    expect({ status, ...rest }).toMatchObject(shown(order))
    const delivered = (items as Shown[]).filter((item) => item.status === 'completed')
    expect(delivered.every(({ amount, cdKeys }) => amount === (cdKeys?.length ?? amount))).toBe(true)
    const units = sumOf(order.items, (item) => (item.state === 'final' ? item.delivered : 0))
    expect(delivered.reduce((sum, { amount }) => sum + amount, 0)).toBe(units)
    const [event, ...more] = await eventsOf(order.code)
    expect([event !== undefined, more]).toEqual([order.event !== undefined, []])
    if (order.event) expect(await eventOf(event?.id)).toMatchObject({ ...order.event, event_type: `order.${status}` })
  }
  expect(await audit(sql())).toEqual([])
}

test('money, results and webhooks of an account are what the model says after any history', async () => {
  const numRuns = Number(process.env.MODEL_RUNS ?? 8)
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 50, maxLength: 60 }), async (steps) => {
      const real = { partner: await makePartner(sql(), { balance: 600 }) }
      const model: Model = { balance: 60_000, orders: [] }
      const make = async (step: Step) => step.check(model) && (await step.run(model, real))
      for (const step of steps) await make(step)
      await compare(model, real)
      // The audit of a later history would miss the worker that leases them.
      while ((await make(delivering(0, 200))) !== false);
    }),
    { numRuns },
  )
})
