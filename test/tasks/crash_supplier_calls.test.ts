import { describe, expect, test } from 'vitest'
import { closeGate, type Gate, killBefore, killBehind } from '../support/crash/crash.ts'
import { completes, crashScene } from '../support/crash/crash_scene.ts'
import { testDatabase } from '../support/database.ts'
import { audit, place } from '../support/orders.ts'
import { neverReceived, type SupplierAnswer, underWay } from '../support/servers/scripted_supplier.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const scene = crashScene(database)

const refusal: SupplierAnswer = { status: 200, json: { status: 'failed', errorCode: 'PLAYER_NOT_FOUND' } }

describe('a worker that crashes while it calls for an order item', () => {
  /** Places an order of one line; what is completes with the line before a worker sees it is up to `prepare`. */
  const item = <T>(prepare: (id: string) => Promise<T>) =>
    scene().unseen(async () => {
      const { body } = await place(sql(), scene().partner, { callbackUrl: null })
      const id = body.items[0]?.id ?? ''
      return { id, prepared: await prepare(id) }
    })
  const closedGate = () => closeGate(database, 'supplier_attempts')
  const callsOf = (id: string) =>
    scene()
      .supplier.requestsFor(id)
      .map(({ method }) => method)

  test('after the lease is taken, before the call: it is asked for, and sent only since the supplier never received it', async () => {
    const doomed = await scene().runningWorker()
    const { id, prepared: gate } = await item(closedGate)
    await gate.reached('begin_calls')
    await killBehind(gate, doomed)
    expect(callsOf(id)).toEqual([])
    scene().supplier.setAnswer(({ method }) => (method === 'GET' ? neverReceived : completes))
    await scene().recover()
    await scene().itemIn(id, 'completed')
    expect(callsOf(id)).toEqual(['GET', 'PUT'])
  })

  test.each<[string, SupplierAnswer, string[]]>([
    ['received is not sent again', completes, ['PUT', 'GET']],
    ['did not receive is sent again, under the same reference', neverReceived, ['PUT', 'GET', 'PUT']],
  ])('during the call: an item that the supplier %s', async (_, asked, calls) => {
    const doomed = await scene().runningWorker()
    scene().supplier.setAnswer(() => 'hang')
    const { id } = await item(async () => {})
    await scene().supplier.waitForRequest(({ reference }) => reference === id)
    await doomed.kill()
    scene().supplier.setAnswer(({ method }) => (method === 'GET' ? asked : completes))
    await scene().recover()
    await scene().itemIn(id, 'completed')
    expect(callsOf(id)).toEqual(calls)
  })

  test.each([
    ['completed', completes],
    ['failed', refusal],
  ] as const)('after the answer %s, before it is recorded: the supplier is asked again', async (status, answer) => {
    const doomed = await scene().runningWorker()
    const { id, gate } = await answeredItem(answer)
    await gate.reached('finish_calls')
    await killBefore(gate, doomed)
    expect(await scene().itemStatus(id)).toBe('processing')
    scene().supplier.setAnswer(() => answer)
    await scene().recover()
    await scene().itemIn(id, status)
    expect(callsOf(id)).toEqual(['PUT', 'GET'])
  })

  test.each([
    ['completed', completes],
    ['failed', refusal],
  ] as const)(
    'after it is recorded that it %s, before the job completes: it is not called again, nor refunded twice',
    async (status, answer) => {
      const doomed = await scene().runningWorker()
      const { id, gate } = await answeredItem(answer)
      await gate.reached('finish_calls')
      await killBehind(gate, doomed)
      expect(await scene().itemStatus(id)).toBe(status)
      await scene().recover()
      await scene().jobsGone(id)
      expect(callsOf(id)).toEqual(['PUT'])
      const refunds = await sql()`select from ops.ledger l join ops.order_items i using (order_code)
      where i.item_id = ${id} and l.type = 'order_refund'`
      expect(refunds).toHaveLength(status === 'failed' ? 1 : 0)
    },
  )

  test('after it is recorded that it is under way: it is asked for again as planned', async () => {
    const doomed = await scene().runningWorker()
    const { id, gate } = await answeredItem(underWay)
    await gate.reached('finish_calls')
    await killBehind(gate, doomed)
    scene().supplier.setAnswer(() => completes)
    await scene().recover()
    await scene().itemIn(id, 'completed')
    await scene().jobsGone(id)
    expect(callsOf(id)).toEqual(['PUT', 'GET'])
  })

  test('while its result waits for a lock, after the job ended: the item is asked for a minute after its lease', async () => {
    const doomed = await scene().runningWorker()
    const holder = await sql().reserve()
    await holder`begin`
    scene().supplier.setAnswer(async ({ reference }) => {
      await holder`select from supply.order_items where id = ${reference} for update`
      return completes
    })
    const { id } = await item(async () => {})
    const jobs = () => sql()`select from ops.queue where subject = ${id}`
    await expect.poll(jobs).toHaveLength(0)
    await doomed.kill()
    await holder`rollback`
    holder.release()
    scene().supplier.setAnswer(() => completes)
    await scene().withoutWorker()
    await sql()`update supply.order_items set lease_expires_at = now() - interval '31 s' where id = ${id}`
    expect(await audit(sql())).toEqual([])
    await sql()`select work.resume_forgotten()`
    await scene().runningWorker()
    await scene().itemIn(id, 'completed')
    expect(callsOf(id)).toEqual(['PUT', 'GET'])
  })

  /** Has an item sent that gets this answer, and closes the gate before its record. */
  async function answeredItem(answer: SupplierAnswer) {
    const closed = Promise.withResolvers<Gate>()
    scene().supplier.setAnswer(async () => {
      closed.resolve(await closedGate())
      return answer
    })
    const { id } = await item(async () => {})
    const worker = await scene().runningWorker()
    const ended = worker.ended.then(() => Promise.reject(new Error(`the worker ended: ${worker.output()}`)))
    return { id, gate: await Promise.race([closed.promise, ended]) }
  }
})
