import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import { audit } from '../orders.ts'
import { makeCatalog, makePartner, type Partner } from '../partner.ts'
import { type ScriptedReceiver, startScriptedReceiver, taken } from '../servers/scripted_receiver.ts'
import { type ScriptedSupplier, type SupplierAnswer, startScriptedSupplier } from '../servers/scripted_supplier.ts'
import { type ServiceProcess, startWorkerProcess } from '../servers/service_process.ts'
import { passTime, sweepTheDead } from './crash.ts'

/** A partner with its receiver, a supplier, and worker processes that come and go. */
export type CrashScene = {
  supplier: ScriptedSupplier
  receiver: ScriptedReceiver
  partner: Partner
  /** The worker process of the moment: the one that runs, or a fresh one. */
  runningWorker(): Promise<ServiceProcess>
  /** Kills the worker of the moment, if there is one, and frees its jobs. */
  withoutWorker(): Promise<void>
  /** Starts a fresh worker after the last one has died, its jobs freed and all leases and waits over. */
  recover(): Promise<ServiceProcess>
  /** Does something while the worker of the moment stands still. */
  unseen<T>(work: () => Promise<T>): Promise<T>
  eventOf(id: string): Promise<{ [column: string]: unknown } | undefined>
  /** Waits until the event is in this state. */
  eventIn(id: string, state: string): Promise<void>
  /** How the attempts of an event ended, in order. */
  outcomesOf(id: string): Promise<string[]>
  itemStatus(id: string): Promise<string | undefined>
  /** Waits until the item is in this status. */
  itemIn(id: string, status: string): Promise<void>
  /** Waits until nothing is left to do for an event or item, not even the look after a lease that is over. */
  jobsGone(subject: string): Promise<void>
}

export const completes: SupplierAnswer = { status: 200, json: { status: 'completed' } }

const polling = { timeout: 45_000, interval: 20 }

/**
 * For a test file: sets the scene before its first test, and proves after each test that the audit finds nothing.
 * Use it inside tests and hooks only, by calling the result.
 */
export function crashScene(database: TestDatabase): () => CrashScene {
  let scene: CrashScene | undefined
  let worker: ServiceProcess | undefined

  beforeAll(async () => {
    const supplier = await startScriptedSupplier()
    const receiver = await startScriptedReceiver()
    await makeCatalog(database.sql, supplier)
    const partner = await makePartner(database.sql)
    scene = { supplier, receiver, partner, ...workers(), ...views(database) }
  })
  afterEach(async () => {
    scene?.supplier.setAnswer(() => completes)
    scene?.receiver.answer(() => taken)
    expect(await audit(database.sql)).toEqual([])
  })
  afterAll(async () => {
    await worker?.kill()
    await scene?.supplier.close()
    await scene?.receiver.close()
  })

  function workers() {
    const runningWorker = async () => {
      if (worker === undefined) {
        const started = await startWorkerProcess(database.url)
        worker = started
        // One that gave up its database on a busy machine is replaced, as its supervisor does.
        void started.ended.then(() => {
          if (worker === started) worker = undefined
        })
      }
      return worker
    }
    const withoutWorker = async () => {
      await worker?.kill()
      worker = undefined
      await sweepTheDead(database.sql)
    }
    const unseen = async <T>(work: () => Promise<T>): Promise<T> => {
      const { signal } = await runningWorker()
      signal('SIGSTOP')
      try {
        return await work()
      } finally {
        signal('SIGCONT')
      }
    }
    const recover = async () => {
      await withoutWorker()
      await passTime(database.sql)
      return runningWorker()
    }
    return { runningWorker, withoutWorker, unseen, recover }
  }

  return () => {
    if (scene === undefined) throw new Error('the scene is set only inside tests and hooks')
    return scene
  }
}

function views({ sql }: TestDatabase) {
  const eventOf = async (id: string) => {
    const [event] = await sql`select * from ops.events where event_id = ${id}`
    return event
  }
  const outcomesOf = async (id: string) => {
    const rows = await sql`select outcome from ops.delivery_attempts where event_id = ${id} order by round, attempt`
    return rows.map(({ outcome }) => outcome as string)
  }
  const itemStatus = async (id: string) => {
    const [item] = await sql`select status from ops.order_items where item_id = ${id}`
    return item?.status as string | undefined
  }
  const jobsLeft = async (subject: string) => {
    await passTime(sql)
    return sql`select from ops.queue where subject = ${subject}`
  }
  return {
    eventOf,
    outcomesOf,
    itemStatus,
    eventIn: (id: string, state: string) => expect.poll(async () => (await eventOf(id))?.state, polling).toBe(state),
    itemIn: (id: string, status: string) => expect.poll(() => itemStatus(id), polling).toBe(status),
    jobsGone: (subject: string) => expect.poll(() => jobsLeft(subject), { ...polling, interval: 100 }).toHaveLength(0),
  }
}
