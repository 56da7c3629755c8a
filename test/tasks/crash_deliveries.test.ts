import { describe, expect, test } from 'vitest'
import { closeGate, type Gate, killBefore, killBehind, sweepTheDead } from '../support/crash/crash.ts'
import { crashScene } from '../support/crash/crash_scene.ts'
import { testDatabase } from '../support/database.ts'
import { makeEvent } from '../support/events.ts'
import { audit } from '../support/orders.ts'
import { type ReceiverAnswer, taken } from '../support/servers/scripted_receiver.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const scene = crashScene(database)

describe('a worker that crashes while it delivers an event', () => {
  test('after the lease is taken: the attempt counts though nothing was sent, and the next one delivers', async () => {
    const doomed = await scene().runningWorker()
    const [id, gate] = await scene().unseen(async () => {
      const id = await makeEvent(sql(), scene().partner, scene().receiver.url)
      return [id, await closeGate(database, 'delivery_attempts')] as const
    })
    await gate.reached('begin_deliveries')
    await killBehind(gate, doomed)
    expect(await scene().eventOf(id)).toMatchObject({ state: 'sending', attempts: 1 })
    expect(scene().receiver.deliveries(id)).toHaveLength(0)
    await scene().recover()
    await scene().eventIn(id, 'delivered')
    expect(scene().receiver.deliveries(id)).toHaveLength(1)
    expect(await scene().outcomesOf(id)).toEqual(['lost', 'delivered'])
  })

  test('during the send: it is sent again, with the same key and bytes', async () => {
    const doomed = await scene().runningWorker()
    scene().receiver.answer(() => 'hang')
    const id = await scene().unseen(() => makeEvent(sql(), scene().partner, scene().receiver.url))
    await scene().receiver.waitFor(({ eventId }) => eventId === id)
    await doomed.kill()
    scene().receiver.answer(() => taken)
    await scene().recover()
    await scene().eventIn(id, 'delivered')
    const [first, second] = scene().receiver.deliveries(id)
    expect(second?.body).toBe(first?.body)
    expect(await scene().outcomesOf(id)).toEqual(['lost', 'delivered'])
  })

  test('after the answer, before it is recorded: it is sent again, for the answer is lost', async () => {
    const doomed = await scene().runningWorker()
    const { id, gate } = await answeredEvent(taken)
    await gate.reached('finish_deliveries')
    await killBefore(gate, doomed)
    expect(await scene().eventOf(id)).toMatchObject({ state: 'sending', attempts: 1 })
    scene().receiver.answer(() => taken)
    await scene().recover()
    await scene().eventIn(id, 'delivered')
    expect(scene().receiver.deliveries(id)).toHaveLength(2)
    expect(await scene().outcomesOf(id)).toEqual(['lost', 'delivered'])
  })

  test('after a delivery is recorded, before the job completes: it is not sent again', async () => {
    const doomed = await scene().runningWorker()
    const { id, gate } = await answeredEvent(taken)
    await gate.reached('finish_deliveries')
    await killBehind(gate, doomed)
    expect(await scene().eventOf(id)).toMatchObject({ state: 'delivered', attempts: 1 })
    await scene().recover()
    await scene().jobsGone(id)
    expect(scene().receiver.deliveries(id)).toHaveLength(1)
  })

  test('after a refusal is recorded, before the job completes: the retry ladder goes on as planned', async () => {
    const doomed = await scene().runningWorker()
    const { id, gate } = await answeredEvent({ status: 500 })
    await gate.reached('finish_deliveries')
    await killBehind(gate, doomed)
    expect(await scene().eventOf(id)).toMatchObject({ state: 'waiting', attempts: 1 })
    expect(await sweepTheDead(sql())).toBe(1)
    expect(await audit(sql())).toEqual([])
    scene().receiver.answer(() => taken)
    await scene().recover()
    await scene().eventIn(id, 'delivered')
    await scene().jobsGone(id)
    expect(scene().receiver.deliveries(id)).toHaveLength(2)
    expect(await scene().outcomesOf(id)).toEqual(['retry', 'delivered'])
  })

  /** Has an event sent that gets this answer, and closes the gate before its record. */
  async function answeredEvent(answer: ReceiverAnswer) {
    const closed = Promise.withResolvers<Gate>()
    scene().receiver.answer(async () => {
      closed.resolve(await closeGate(database, 'delivery_attempts'))
      return answer
    })
    const id = await scene().unseen(() => makeEvent(sql(), scene().partner, scene().receiver.url))
    return { id, gate: await closed.promise }
  }
})
