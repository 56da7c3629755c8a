import { setTimeout as sleep } from 'node:timers/promises'
import type { Task } from 'graphile-worker'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database, Functions } from '../database/client.ts'
import { addBuildInfo, addEndedOrders, addPoolMetrics, maxAccounts, orderBuckets } from '../metrics.ts'

/** The metrics of a worker process, for Prometheus. */
export type WorkerMetrics = {
  registry: Registry
  /** Counts a recorded delivery: delivered, retry, the reason of a dead letter, or stale. */
  countDelivery(outcome: string): void
  /** Counts a recorded call to a supplier, by its verdict. */
  countSupplierCall(verdict: string): void
  /** Notes a call to a supplier, however it went, by method (put or get) and outcome. */
  observeSupplierCall(labels: { supplier: string; method: string; outcome: string }, seconds: number): void
  /** Notes an order that ended, by its outcome, so long after it was placed. */
  observeEndedOrder(outcome: string, seconds: number): void
  /** Notes an order whose result a partner took, so long after it was placed. */
  observeToldOrder(seconds: number): void
  /** Wraps a task so that its duration is measured, by whether it throws. */
  timed(name: string, task: Task): Task
}

type State = Functions['work.gauges']['result'][number]
type AccountState = Functions['work.account_gauges']['result'][number]

/** How long a scrape waits for the database, in milliseconds. */
const scrapeTimeoutMs = 3_000

const gauges: { [name: string]: { help: string; read: (state: State) => number } } = {
  supply_webhook_events_waiting: {
    help: 'Events that wait for their next attempt, due or not. From 10,000 on rungs on, their number is an estimate.',
    read: (state) => state.events_waiting,
  },
  supply_webhook_events_due: {
    help: 'Events whose next attempt is due and has not begun.',
    read: (state) => state.events_due,
  },
  supply_webhook_events_sending: {
    help: 'Events with an attempt under way, over all workers.',
    read: (state) => state.events_sending,
  },
  supply_webhook_dead_letters: {
    help: 'Events that are dead letters now.',
    read: (state) => state.dead_letters,
  },
  supply_supplier_items_open: {
    help: 'Order items that are not final.',
    read: (state) => state.items_open,
  },
  supply_supplier_items_stuck: {
    help: 'Open order items that their supplier has not settled within its deadline.',
    read: (state) => state.items_stuck,
  },
  supply_supplier_items_held: {
    help: 'Open order items that are held for an operator.',
    read: (state) => state.items_held,
  },
  supply_queue_oldest_due_job_seconds: {
    help: 'For how long the oldest due job has been waiting for a worker; 0 if none is due.',
    read: (state) => state.oldest_due_job_seconds,
  },
  supply_queue_jobs_due: {
    help: 'Jobs that are due and that no worker has; 10000: that many or more.',
    read: (state) => state.jobs_due,
  },
  supply_queue_jobs_taken: {
    help: 'Jobs that a worker has.',
    read: (state) => state.jobs_taken,
  },
  supply_webhook_events_queued: {
    help: 'Events that are due and wait for a slot of their account.',
    read: (state) => state.events_queued,
  },
  supply_webhook_slots: {
    help: 'How many deliveries may be under way, over the accounts that have events due or under way.',
    read: (state) => state.slots,
  },
  supply_webhook_slots_taken: {
    help: 'Slots that an event has.',
    read: (state) => state.slots_taken,
  },
  supply_audit_breaches: {
    help: 'The rows of ops.audit when a worker last ran it: 0 while all is well.',
    read: (state) => state.audit_breaches ?? Number.NaN,
  },
  supply_audit_last_run_timestamp_seconds: {
    help: 'When a worker last ran the audit.',
    read: (state) => (state.audit_at === null ? Number.NaN : state.audit_at.getTime() / 1_000),
  },
}

/**
 * Makes a registry with the process's own metrics and those of the worker. The gauges are read from the database at each
 * scrape; while it cannot answer, they are NaN.
 */
export function createWorkerMetrics(db: Database): WorkerMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addBuildInfo(registry)
  const deliveries = new Counter({
    name: 'supply_webhook_deliveries_total',
    help: 'Attempts to deliver an event, by outcome: delivered, retry, the reason of a dead letter, stale.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const calls = new Counter({
    name: 'supply_supplier_calls_total',
    help: 'Calls to suppliers, by verdict: settled, waiting, next_supplier, stuck, held, stale and others.',
    labelNames: ['verdict'],
    registers: [registry],
  })
  const jobs = new Histogram({
    name: 'supply_job_duration_seconds',
    help: 'Time to do a job, by task and result: done or failed.',
    labelNames: ['task', 'result'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  })
  const supplierTimes = new Histogram({
    name: 'supply_supplier_call_duration_seconds',
    help: 'Time of a call to a supplier, by supplier, method and outcome: answered, not_received, not_placed, hold, unknown.',
    labelNames: ['supplier', 'method', 'outcome'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers: [registry],
  })
  const toldTimes = new Histogram({
    name: 'supply_order_notified_duration_seconds',
    help: 'Time from placing an order to the attempt of this worker with which its partner took the result.',
    buckets: orderBuckets,
    registers: [registry],
  })
  addGauges(registry, db)
  addAccountGauges(registry, db)
  addPoolMetrics(registry, db.usage)
  return {
    registry,
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    countSupplierCall: (verdict) => calls.inc({ verdict }),
    observeSupplierCall: (labels, seconds) => supplierTimes.observe(labels, seconds),
    observeEndedOrder: addEndedOrders(registry),
    observeToldOrder: (seconds) => toldTimes.observe(seconds),
    timed: (task, run) => async (payload, helpers) => {
      const end = jobs.startTimer({ task })
      try {
        const result = await run(payload, helpers)
        end({ result: 'done' })
        return result
      } catch (error) {
        end({ result: 'failed' })
        throw error
      }
    },
  }
}

function addGauges(registry: Registry, db: Database): void {
  const state = shared(() => Promise.race([readState(db), sleep(scrapeTimeoutMs, undefined, { ref: false })]))
  for (const [name, { help, read }] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const known = await state()
        this.set(known === undefined ? Number.NaN : read(known))
      },
    })
  }
}

const accountGauges = {
  supply_account_balance: {
    help: 'The balance of an account in its currency; only of the accounts that have metrics of their own.',
    read: (account: AccountState) => account.balance,
  },
  supply_account_low_balance_threshold: {
    help: 'The balance at or below which an account is low on money; 0: none is set.',
    read: (account: AccountState) => account.low_balance_threshold,
  },
  supply_account_dead_letters: {
    help: 'Events of an account that are dead letters now.',
    read: (account: AccountState) => account.dead_letters,
  },
  supply_account_webhooks_waiting: {
    help: 'Events of an account that wait for another attempt; 1000: that many or more.',
    read: (account: AccountState) => account.webhooks_waiting,
  },
}

/** Adds the gauges by account. No sample is shown while the database cannot answer. */
function addAccountGauges(registry: Registry, db: Database): void {
  const read = () => db.call('work.account_gauges', { max_accounts: maxAccounts }).catch(() => [])
  const accounts = shared(() => Promise.race([read(), sleep(scrapeTimeoutMs, [], { ref: false })]))
  for (const [name, { help, read }] of Object.entries(accountGauges)) {
    new Gauge({
      name,
      help,
      labelNames: ['account'],
      registers: [registry],
      async collect() {
        const known = await accounts()
        this.reset()
        for (const account of known) this.set({ account: account.account_id }, read(account))
      },
    })
  }
}

async function readState(db: Database): Promise<State | undefined> {
  try {
    return (await db.call('work.gauges'))[0]
  } catch {
    return undefined
  }
}

/** Lets calls that come while one is under way share its answer: all gauges of a scrape read one row. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
