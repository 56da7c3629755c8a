import { describe, expect, test } from 'vitest'
import { completes, crashScene } from '../support/crash/crash_scene.ts'
import { testDatabase } from '../support/database.ts'
import { answered, finishAttempts, leaseAttempts, makeEvent, makeEvents } from '../support/events.ts'
import { place } from '../support/orders.ts'
import { taken } from '../support/servers/scripted_receiver.ts'
import { neverReceived } from '../support/servers/scripted_supplier.ts'
import { startWorkerProcess } from '../support/servers/service_process.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const scene = crashScene(database)

describe('workers that crash repeatedly', () => {
  test('make the last of nine sends and never a tenth, and no item is sent again without a 404', async () => {
    scene().receiver.answer(() => 'hang')
    // The supplier loses every second item that it is sent.
    scene().supplier.setAnswer(({ method, nth }) => (method === 'GET' && nth % 2 === 1 ? neverReceived : 'hang'))
    await scene().withoutWorker()
    const events = await makeEvents(sql(), scene().partner, 5, scene().receiver.url)
    for (let sent = 0; sent < 6; sent += 1)
      await finishAttempts(sql(), await leaseAttempts(sql(), events), answered(503))
    const orders = await Promise.all(Array.from({ length: 5 }, () => place(sql(), scene().partner)))
    const items = orders.map(({ body }) => body.items[0]?.id ?? '')
    for (let death = 1; death <= 3; death += 1) {
      await scene().recover()
      await Promise.all([
        ...events.map((id) => scene().receiver.waitFor(({ eventId, nth }) => eventId === id && nth === death)),
        ...items.map((id) => scene().supplier.waitForRequest(() => scene().supplier.requestsFor(id).length >= death)),
      ])
    }
    await scene().recover()
    for (const id of events) {
      await scene().eventIn(id, 'dead')
      expect(scene().receiver.deliveries(id)).toHaveLength(3)
      expect(await scene().outcomesOf(id)).toEqual([...Array(6).fill('retry'), ...Array(3).fill('lost')])
    }
    scene().supplier.setAnswer(() => completes)
    await scene().recover()
    for (const id of items) {
      await scene().itemIn(id, 'completed')
      const calls = scene()
        .supplier.requestsFor(id)
        .map(({ method, nth }) => (method === 'GET' && nth % 2 === 1 ? 'GET 404' : method))
      expect(calls[0]).toBe('PUT')
      for (const [index, call] of calls.entries()) {
        if (call === 'PUT' && index > 0) expect(calls[index - 1]).toBe('GET 404')
      }
    }
  })
})

describe('a worker whose database connections are cut', () => {
  test('goes on, and records the delivery that was under way', async () => {
    const worker = await scene().runningWorker()
    const answered = Promise.withResolvers<void>()
    scene().receiver.answer(() => answered.promise.then(() => taken))
    const id = await scene().unseen(() => makeEvent(sql(), scene().partner, scene().receiver.url))
    await scene().receiver.waitFor(({ eventId }) => eventId === id)
    await sql()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'supply-ordering worker%'`
    answered.resolve()
    await scene().eventIn(id, 'delivered')
    await scene().jobsGone(id)
    expect(await scene().outcomesOf(id)).toEqual(['delivered'])
    expect(await Promise.race([worker.ended, 'it lives'])).toBe('it lives')
  })
})

describe('a worker that is paused', () => {
  test('is noticed by another one, and when it wakes it changes nothing and ends itself', async () => {
    const hung = await scene().runningWorker()
    scene().receiver.answer(() => 'hang')
    const id = await scene().unseen(() => makeEvent(sql(), scene().partner, scene().receiver.url))
    await scene().receiver.waitFor(({ eventId }) => eventId === id)
    hung.signal('SIGSTOP')
    scene().receiver.answer(() => taken)
    await sql()`update supply.worker_pools set seen_at = now() - interval '11 s'`
    const other = await startWorkerProcess(database.url)
    try {
      await expect.poll(() => scene().outcomesOf(id)).toEqual(['lost'])
      expect(await scene().eventOf(id)).toMatchObject({ state: 'waiting', attempts: 1 })
      hung.signal('SIGCONT')
      expect(await hung.ended).toEqual({ code: 1, signal: null })
      expect(await scene().outcomesOf(id)).toEqual(['lost'])
    } finally {
      await other.kill()
    }
    await scene().recover()
    await scene().eventIn(id, 'delivered')
    expect(await scene().outcomesOf(id)).toEqual(['lost', 'delivered'])
  })
})

describe('a worker that gets a signal to end', () => {
  test('ends its current work, gives back the other jobs, and exits with 0, also if the signal is repeated', async () => {
    await scene().withoutWorker()
    const events = await Promise.all(
      Array.from({ length: 3 }, () => makeEvent(sql(), scene().partner, scene().receiver.url)),
    )
    const answered = Promise.withResolvers<void>()
    scene().receiver.answer(() => answered.promise.then(() => taken))
    const ending = await startWorkerProcess(database.url, { WEBHOOK_CONCURRENCY: '1' })
    const { eventId: sent } = await scene().receiver.waitFor(({ eventId }) => events.includes(eventId))
    const others = events.filter((id) => id !== sent)
    const jobs = () => sql()`select attempts, locked_by from ops.queue where subject = any(${others})`
    expect((await jobs()).map(({ locked_by }) => locked_by)).not.toContain(null)

    ending.signal('SIGTERM')
    ending.signal('SIGTERM')
    const givenBack = { attempts: 0, locked_by: null }
    await expect.poll(jobs, { interval: 20 }).toEqual([givenBack, givenBack])
    ending.signal('SIGINT')
    answered.resolve()
    expect(await ending.ended).toEqual({ code: 0, signal: null })
    expect(scene().receiver.deliveries(sent)).toHaveLength(1)
    expect(await scene().eventOf(sent)).toMatchObject({ state: 'delivered', attempts: 1 })
    for (const id of others) expect(await scene().eventOf(id)).toMatchObject({ state: 'waiting', attempts: 0 })
    expect(await sql()`select from ops.worker_pools`).toHaveLength(0)
  })

  test('exits with 0 when the signal comes as soon as it runs', async () => {
    await scene().withoutWorker()
    const young = await startWorkerProcess(database.url)
    young.signal('SIGTERM')
    expect(await young.ended).toEqual({ code: 0, signal: null })
  })
})
