import { describe, expect, test } from 'vitest'
import { lineTests } from '../../support/line_tests.ts'
import {
  answer,
  claimCalls,
  completed,
  failed,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/lines.ts'
import { audit, balanceOf } from '../../support/orders.ts'

const { sql, partner, order, read, lineOf, alertsOf } = lineTests()

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
    expect(await balanceOf(sql(), partner())).toBe(989.5)
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
