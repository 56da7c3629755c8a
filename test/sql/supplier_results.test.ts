import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import {
  answer,
  claimCalls,
  completed,
  failed,
  notReceived,
  processing,
  record,
  unknown,
} from '../support/lines.ts'
import { audit, balanceOf, type OrderRequest, place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
})

/** Places an order and gives its code and the ids of its lines. */
async function order(request: OrderRequest = {}) {
  const { body } = await place(sql(), partner, request)
  const lines = body.items.map(({ id }) => id)
  return { code: body.code, lines, line: lines[0] ?? '' }
}

const keys = (quantity: number, callbackUrl: string | null = null) =>
  order({ callbackUrl, items: [{ productId: products.key, quantity }] })

async function read(code: string) {
  const [row] = await sql()`select api.get_order(${partner.accountId}, ${code}) as body`
  return row?.body
}

async function lineOf(id: string) {
  const [row] = await sql()`select *, extract(epoch from next_check_at - now())::float as wait
    from supply.order_items where id = ${id}`
  return row ?? {}
}

async function eventsOf(code: string) {
  return [...(await sql()`select * from supply.events where order_code = ${code}`)]
}

async function alertsOf(cause: string): Promise<number> {
  const [row] =
    await sql()`select coalesce(sum(count), 0)::int as n from supply.alerts where cause = ${cause}`
  return row?.n
}

describe('a line is claimed before it is sent', () => {
  test('and sent once: after a claim it is only asked for, until the supplier says that it never came', async () => {
    const { line } = await order()
    const [first] = await claimCalls(sql(), [line])
    expect(first).toMatchObject({ method: 'put', sku: 'sku-101', quantity: 1, reference: line })
    expect(await claimCalls(sql(), [line])).toEqual([])
    if (first) await record(sql(), first, unknown())
    const [second] = await claimCalls(sql(), [line])
    expect(second?.method).toBe('get')
    if (second) expect(await record(sql(), second, notReceived())).toBe('waiting')
    const [third] = await claimCalls(sql(), [line])
    expect(third?.method).toBe('put')
  })

  test('and a claim that ran out leads to a question, never to a second sending', async () => {
    const { line } = await order()
    await claimCalls(sql(), [line])
    await sql()`update supply.order_items set claim_expires_at = now() - interval '1 s' where id = ${line}`
    expect((await claimCalls(sql(), [line]))[0]?.method).toBe('get')
  })

  test('and what a worker says that was thought dead changes nothing', async () => {
    const { code, line } = await order()
    const [old] = await claimCalls(sql(), [line])
    await sql()`update supply.order_items set claim_expires_at = now() - interval '1 s' where id = ${line}`
    const [present] = await claimCalls(sql(), [line])
    if (!old || !present) throw new Error('not claimed')
    expect(await record(sql(), old, failed())).toBe('stale')
    expect((await read(code)).status).toBe('processing')
    expect(await record(sql(), present, completed())).toBe('settled')
    expect((await read(code)).status).toBe('completed')
  })

  test('and while a claim lives, another job of the line is put off until it ends', async () => {
    const { line } = await order()
    await claimCalls(sql(), [line])
    await sql()`select * from work.begin_calls(${[line]})`
    const [job] = await sql()`
      select extract(epoch from run_at - now())::float as wait from graphile_worker.jobs where key = ${`call_supplier:${line}`}`
    expect(job?.wait).toBeGreaterThan(40)
  })
})

describe('polling', () => {
  test.each([
    ['processing', processing()],
    ['an unknown outcome', unknown()],
  ])('after %s comes after 1, 2, 5, 10, 20, 30 s, then every 60 s', async (_, result) => {
    const { line } = await order()
    const waits: number[] = []
    for (let i = 0; i < 9; i += 1) {
      expect(await answer(sql(), line, result)).toBe('waiting')
      waits.push(Math.round((await lineOf(line)).wait))
    }
    expect(waits).toEqual([1, 2, 5, 10, 20, 30, 60, 60, 60])
    expect(await audit(sql())).toEqual([])
  })

  test('waits as long as the supplier asks', async () => {
    const { line } = await order()
    await answer(sql(), line, unknown(17))
    expect(Math.round((await lineOf(line)).wait)).toBe(17)
  })

  test('has exactly one job a line', async () => {
    const { line } = await order()
    for (let i = 0; i < 3; i += 1) await answer(sql(), line, processing())
    const jobs = await sql()`select run_at from graphile_worker.jobs where key = ${`call_supplier:${line}`}`
    expect(jobs).toHaveLength(1)
  })
})

describe('the deadline', () => {
  test('makes a line stuck: alerted, still processing, asked every ten minutes, never sent again', async () => {
    const { code, line } = await order()
    await answer(sql(), line, unknown())
    const before = await alertsOf('line_stuck:first')
    await sql()`update supply.order_items set sent_at = now() - interval '25 hours' where id = ${line}`
    expect(await answer(sql(), line, processing())).toBe('stuck')
    expect(Math.round((await lineOf(line)).wait)).toBe(600)
    expect(await alertsOf('line_stuck:first')).toBe(before + 1)
    expect(await answer(sql(), line, notReceived())).toBe('waiting')
    expect((await claimCalls(sql(), [line]))[0]?.method).toBe('get')
    expect((await read(code)).status).toBe('processing')
    expect(await balanceOf(sql(), partner)).toBe(989.5)
    expect(await audit(sql())).toEqual([])
  })

  test('is met to the second: the last question before it is not put off beyond it', async () => {
    const { line } = await order()
    await answer(sql(), line, unknown(), '3 s')
    await answer(sql(), line, unknown(), '3 s')
    await answer(sql(), line, unknown(), '3 s')
    expect((await lineOf(line)).wait).toBeLessThanOrEqual(3)
  })

  test('does not keep a sensible answer from settling the line', async () => {
    const { code, line } = await order()
    await answer(sql(), line, unknown())
    await sql()`update supply.order_items set sent_at = now() - interval '25 hours' where id = ${line}`
    await answer(sql(), line, processing())
    expect(await answer(sql(), line, completed())).toBe('settled')
    expect((await read(code)).status).toBe('completed')
  })
})

describe('an order ends', () => {
  test('completed when all lines are, with its event', async () => {
    const { code, lines } = await order({
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp, quantity: 2 }, { productId: products.key }],
    })
    await answer(sql(), lines[0] ?? '', completed())
    expect((await read(code)).status).toBe('processing')
    await answer(sql(), lines[1] ?? '', completed({ codes: ['AAA-1'] }))
    const ended = await read(code)
    expect(ended).toMatchObject({
      status: 'completed',
      outcome: 'full',
      refundedAmount: 0,
      error: null,
      reason: null,
    })
    expect(ended.items[1].cdKeys).toEqual([{ code: 'AAA-1' }])
    const [event] = await eventsOf(code)
    expect(JSON.parse(event?.body)).toEqual({
      event_id: event?.id,
      event_type: 'order.completed',
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        orderCode: code,
        externalOrderId: ended.externalOrderId,
        totalAmount: 41,
        status: 'completed',
        items: [
          { productName: '100 credits', amount: 2, price: 10.5 },
          { productName: 'Gift key', amount: 1, price: 20, cdKeys: [{ code: 'AAA-1' }] },
        ],
        completedAt: ended.completedAt,
      },
    })
    expect(await balanceOf(sql(), partner)).toBe(959)
  })

  test("failed when all lines failed, refunded, with its event and the supplier's Russian reason", async () => {
    const { code, line } = await order({ callbackUrl: 'https://hooks.example/x' })
    await answer(sql(), line, failed({ errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' }))
    const ended = await read(code)
    expect(ended).toMatchObject({
      status: 'failed',
      outcome: 'none',
      totalAmount: 10.5,
      refundedAmount: 10.5,
      error: 'ORDER_FAILED',
      reason: 'Игрок не найден.',
      items: [
        {
          status: 'failed',
          errorCode: 'PLAYER_NOT_FOUND',
          errorMessage: 'Игрок не найден.',
          refundedAmount: 10.5,
        },
      ],
    })
    const [event] = await eventsOf(code)
    expect(JSON.parse(event?.body).data).toEqual({
      orderCode: code,
      externalOrderId: ended.externalOrderId,
      totalAmount: 10.5,
      status: 'failed',
      error: 'ORDER_FAILED',
      reason: 'Игрок не найден.',
      completedAt: ended.completedAt,
    })
    expect(await balanceOf(sql(), partner)).toBe(1000)
    expect(await audit(sql())).toEqual([])
  })

  test('mixed as failed, with the failed lines refunded, the keys shown, and no event', async () => {
    const { code, lines } = await order({
      callbackUrl: 'https://hooks.example/x',
      items: [{ productId: products.topUp }, { productId: products.key, quantity: 2 }],
    })
    await answer(sql(), lines[1] ?? '', completed({ codes: ['A', 'B'] }))
    await answer(
      sql(),
      lines[0] ?? '',
      failed({ errorCode: 'REGION_MISMATCH', reason: 'NullPointerException at Foo.java' }),
    )
    expect(await read(code)).toMatchObject({
      status: 'failed',
      outcome: 'partial',
      totalAmount: 50.5,
      refundedAmount: 10.5,
      reason: 'Товар недоступен в регионе этого игрового аккаунта.',
      items: [
        { status: 'failed', refundedAmount: 10.5 },
        { status: 'completed', cdKeys: [{ code: 'A' }, { code: 'B' }] },
      ],
    })
    expect(await eventsOf(code)).toEqual([])
    expect(await balanceOf(sql(), partner)).toBe(960)
    expect(await audit(sql())).toEqual([])
  })

  test('without an event where there is no callback', async () => {
    const { code, line } = await order()
    await answer(sql(), line, completed())
    expect(await eventsOf(code)).toEqual([])
  })

  test('with no reason where the supplier gave none that a buyer may read', async () => {
    const { code, line } = await order()
    await answer(sql(), line, failed({ errorCode: 'weird code!', reason: 'timeout at 10.0.0.3' }))
    expect(await read(code)).toMatchObject({
      reason: null,
      items: [{ errorCode: 'SUPPLIER_ERROR', errorMessage: null }],
    })
  })
})

describe('a line of keys', () => {
  test('of which a part comes is split, and the sum still holds', async () => {
    const { code, line } = await keys(3, 'https://hooks.example/x')
    expect(await answer(sql(), line, failed({ codes: ['A'], errorCode: 'OUT_OF_STOCK' }))).toBe('settled')
    const ended = await read(code)
    expect(ended).toMatchObject({ status: 'failed', outcome: 'partial', totalAmount: 60, refundedAmount: 40 })
    expect(ended.items).toMatchObject([
      { id: line, status: 'completed', amount: 1, price: 20, cdKeys: [{ code: 'A' }] },
      { status: 'failed', amount: 2, price: 20, refundedAmount: 40, errorCode: 'OUT_OF_STOCK' },
    ])
    expect(await balanceOf(sql(), partner)).toBe(980)
    expect(await audit(sql())).toEqual([])
  })

  test.each([
    ['fewer codes with completed', completed({ codes: ['A', 'B'] })],
    ['more codes with completed', completed({ codes: ['A', 'B', 'C', 'D'] })],
    ['as many codes with failed', failed({ codes: ['A', 'B', 'C'] })],
    ['the same code twice', completed({ codes: ['A', 'B', 'B'] })],
  ])('is held for an operator on %s: codes kept, nothing refunded', async (_, result) => {
    const { code, line } = await keys(3)
    const before = await alertsOf('line_held:first')
    expect(await answer(sql(), line, result)).toBe('held')
    expect(await alertsOf('line_held:first')).toBe(before + 1)
    expect((await read(code)).items).toMatchObject([{ status: 'processing', amount: 3 }])
    const kept = await sql()`select code from supply.item_keys where item_id = ${line}`
    expect(kept.length).toBe(new Set(result.codes).size)
    expect(await balanceOf(sql(), partner)).toBe(940)
    expect(await claimCalls(sql(), [line])).toEqual([])
    expect(await audit(sql())).toEqual([])
  })

  test('that is held settles on a sensible answer that holds the kept codes', async () => {
    const { code, line } = await keys(3)
    await answer(sql(), line, completed({ codes: ['A', 'B'] }))
    await sql()`select ops.poll_now(${line})`
    expect(await answer(sql(), line, completed({ codes: ['X', 'Y', 'Z'] }))).toBe('held')
    await sql()`delete from supply.item_keys where item_id = ${line} and code in ('X', 'Y', 'Z')`
    await sql()`select ops.poll_now(${line})`
    expect(await answer(sql(), line, completed({ codes: ['A', 'B', 'C'] }))).toBe('settled')
    expect((await read(code)).items[0].cdKeys).toEqual([{ code: 'A' }, { code: 'B' }, { code: 'C' }])
  })

  test('takes no codes where it is a top-up: they are recorded only', async () => {
    const { code, line } = await order()
    expect(await answer(sql(), line, completed({ codes: ['A'] }))).toBe('settled')
    expect((await read(code)).items[0]).not.toHaveProperty('cdKeys')
    const [attempt] = await sql()`select codes from supply.supplier_attempts where item_id = ${line}`
    expect(attempt?.codes).toEqual(['A'])
  })
})

describe('out of stock at one supplier', () => {
  const productId = 300

  beforeAll(async () => {
    await sql()`select ops.upsert_product(${productId}, 'space-trader', 'Anywhere', 7.00, 'RUB', 'key')`
    await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
    await sql()`select ops.upsert_offer(${productId}, 'first', 'a', priority => 1)`
    await sql()`select ops.upsert_offer(${productId}, 'second', 'b', priority => 2)`
  })

  test('the next one is sent the same line, and then there is none', async () => {
    const { code, line } = await order({ items: [{ productId }] })
    expect(await answer(sql(), line, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    const [call] = await claimCalls(sql(), [line])
    expect(call).toMatchObject({ method: 'put', sku: 'b', base_url: 'http://127.0.0.1:10', reference: line })
    if (call) expect(await record(sql(), call, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('settled')
    expect(await read(code)).toMatchObject({ status: 'failed', outcome: 'none' })
    expect(await balanceOf(sql(), partner)).toBe(1000)
  })

  test('another failure, a part, or an unknown outcome never goes to another supplier', async () => {
    const { line } = await order({ items: [{ productId, quantity: 2 }] })
    expect(await answer(sql(), line, unknown())).toBe('waiting')
    expect((await lineOf(line)).supplier).toBe('first')
    expect(await answer(sql(), line, failed({ errorCode: 'OUT_OF_STOCK', codes: ['A'] }))).toBe('settled')
    const other = await order({ items: [{ productId }] })
    expect(await answer(sql(), other.line, failed({ errorCode: 'SUPPLIER_ERROR' }))).toBe('settled')
  })

  test('what the first says afterwards changes nothing: alerted, but a repetition is just recorded', async () => {
    const { code, line } = await order({ items: [{ productId }] })
    await answer(sql(), line, failed({ errorCode: 'OUT_OF_STOCK' }))
    const before = await alertsOf('contradicting_result:first')
    await push('first', line, failed({ errorCode: 'OUT_OF_STOCK' }))
    expect(await alertsOf('contradicting_result:first')).toBe(before)
    await push('first', line, completed({ codes: ['A'] }))
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    expect(await read(code)).toMatchObject({ status: 'processing' })
  })
})

async function push(supplier: string, line: string, result: object): Promise<string> {
  const [row] =
    await sql()`select api.record_push(${supplier}, ${line}, ${sql().json(result as never)}) as said`
  return row?.said
}

describe('a pushed result', () => {
  test('settles a line that is waiting, or whose call is under way', async () => {
    const waiting = await order()
    await answer(sql(), waiting.line, processing())
    expect(await push('first', waiting.line, completed())).toBe('recorded')
    expect((await read(waiting.code)).status).toBe('completed')

    const calling = await order()
    const [call] = await claimCalls(sql(), [calling.line])
    expect(await push('first', calling.line, completed())).toBe('recorded')
    if (call) expect(await record(sql(), call, completed())).toBe('repeated')
    expect((await read(calling.code)).status).toBe('completed')
  })

  test('of a line that the supplier never had is unknown', async () => {
    const { line } = await order()
    expect(await push('first', line, completed())).toBe('unknown_reference')
    expect(await push('first', crypto.randomUUID(), completed())).toBe('unknown_reference')
    await claimCalls(sql(), [line])
    expect(await push('second', line, completed())).toBe('unknown_reference')
  })

  test('that contradicts a final line changes nothing and alerts; one that repeats it is just recorded', async () => {
    const { code, line } = await order()
    await answer(sql(), line, failed())
    const before = await alertsOf('contradicting_result:first')
    await push('first', line, failed())
    await push('first', line, processing())
    expect(await alertsOf('contradicting_result:first')).toBe(before)
    await push('first', line, completed())
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    expect(await read(code)).toMatchObject({ status: 'failed', refundedAmount: 10.5 })
    const [row] = await sql()`select count(*)::int as n from supply.supplier_attempts where item_id = ${line}`
    expect(row?.n).toBe(4)
    expect(await audit(sql())).toEqual([])
  })
})

describe('an operator', () => {
  test('settles a held line of keys with what is missing', async () => {
    const { code, line } = await keys(3)
    await answer(sql(), line, completed({ codes: ['A', 'B'] }))
    await expect(sql()`select ops.settle_item(${line}, 'completed')`).rejects.toThrow('exactly 3 codes')
    await sql()`select ops.settle_item(${line}, 'completed', array['C'])`
    expect(await read(code)).toMatchObject({
      status: 'completed',
      items: [{ cdKeys: [{ code: 'A' }, { code: 'B' }, { code: 'C' }] }],
    })
    expect(await audit(sql())).toEqual([])
  })

  test('fails it with the codes that came, as a partial result, or with none of them', async () => {
    const part = await keys(3)
    await answer(sql(), part.line, completed({ codes: ['A', 'B'] }))
    await sql()`select ops.settle_item(${part.line}, 'failed', reason => 'Товар закончился')`
    expect(await read(part.code)).toMatchObject({
      outcome: 'partial',
      refundedAmount: 20,
      reason: 'Товар закончился',
    })

    const none = await keys(2)
    await answer(sql(), none.line, completed({ codes: ['A', 'B', 'C'] }))
    await expect(sql()`select ops.settle_item(${none.line}, 'failed')`).rejects.toThrow('deliver none')
    await sql()`select ops.settle_item(${none.line}, 'failed', '{}')`
    expect(await read(none.code)).toMatchObject({ outcome: 'none', refundedAmount: 40 })
    expect(await audit(sql())).toEqual([])
  })

  test('chooses the codes that count from a surplus', async () => {
    const { code, line } = await keys(2)
    await answer(sql(), line, completed({ codes: ['A', 'B', 'C'] }))
    await sql()`select ops.settle_item(${line}, 'completed', array['A', 'C'])`
    expect((await read(code)).items[0].cdKeys).toEqual([{ code: 'A' }, { code: 'C' }])
  })

  test('may settle neither a line that is being asked for, nor a final one, nor an unknown one', async () => {
    const { line } = await order()
    await expect(sql()`select ops.settle_item(${line}, 'completed')`).rejects.toThrow(
      'neither stuck nor held',
    )
    await answer(sql(), line, completed())
    await expect(sql()`select ops.settle_item(${line}, 'failed')`).rejects.toThrow('final already')
    await expect(sql()`select ops.settle_item(${crypto.randomUUID()}, 'failed')`).rejects.toThrow('no line')
  })

  test('settles a stuck line, and what the supplier says later is an alert', async () => {
    const { code, line } = await order()
    await answer(sql(), line, unknown())
    await sql()`update supply.order_items set sent_at = now() - interval '25 hours' where id = ${line}`
    await answer(sql(), line, unknown())
    await sql()`select ops.settle_item(${line}, 'failed')`
    expect(await balanceOf(sql(), partner)).toBe(1000)
    const before = await alertsOf('contradicting_result:first')
    await push('first', line, completed())
    expect(await alertsOf('contradicting_result:first')).toBe(before + 1)
    expect((await read(code)).status).toBe('failed')
    expect(await audit(sql())).toEqual([])
  })
})
