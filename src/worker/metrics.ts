import type { Task } from 'graphile-worker'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database, Functions } from '../database/client.ts'
import { addBuildInfo, addEndedOrders, addPoolMetrics, maxAccounts, orderBuckets } from '../metrics.ts'
import { shared } from '../shared.ts'
import { within } from '../within.ts'

/** The metrics of a worker process, for Prometheus. */
export type WorkerMetrics = {
  registry: Registry
  /** Counts a recorded delivery: delivered, retry, the reason of a dead letter, refused_sample, unsent or stale. */
  countDelivery(outcome: string): void
  /** Counts a recorded call to a supplier, by its verdict. */
  countSupplierCall(verdict: string): void
  /** Records the duration of a call to a supplier, by method (put or get) and outcome. */
  observeSupplierCall(labels: { supplier: string; method: string; outcome: string }, seconds: number): void
  /** Records the time from the placing of an order to its end, by its outcome. */
  observeEndedOrder(outcome: string, seconds: number): void
  /** Records the time from the placing of an order to the partner's receipt of its result. */
  observeNotifiedOrder(seconds: number): void
  /** Wraps a task so that its duration is measured, by whether it throws. */
  timed(name: string, task: Task): Task
}

/** How long a scrape waits for the database, in milliseconds. */
const scrapeTimeoutMs = 3_000

/** Gauges by their names: the column that they show, and its description. */
type Gauges<Row> = { [name: string]: [column: keyof Row, help: string] }

const gauges: Gauges<Functions['work.gauges']['result'][number]> = {
  supply_webhook_events_waiting: [
    'events_waiting',
    'Events that wait for their next attempt, due or not. From 10,000 on rungs on, their number is an estimate.',
  ],
  supply_webhook_events_due: ['events_due', 'Events whose next attempt is due and has not begun.'],
  supply_webhook_events_sending: ['events_sending', 'Events with an attempt under way, over all workers.'],
  supply_webhook_dead_letters: ['dead_letters', 'Events that are dead letters now.'],
  supply_supplier_items_open: ['items_open', 'Order items that are not final.'],
  supply_supplier_items_stuck: [
    'items_stuck',
    'Open order items that their supplier has not settled within its deadline.',
  ],
  supply_supplier_items_held: ['items_held', 'Open order items that are held for an operator.'],
  supply_queue_oldest_due_job_seconds: [
    'oldest_due_job_seconds',
    'For how long the oldest due job has been waiting for a worker; 0 if none is due.',
  ],
  supply_queue_jobs_due: ['jobs_due', 'Jobs that are due and that no worker has; 10000: that many or more.'],
  supply_queue_jobs_taken: ['jobs_taken', 'Jobs that a worker has.'],
  supply_webhook_events_queued: ['events_queued', 'Events that are due and wait for a slot of their account.'],
  supply_webhook_slots: [
    'slots',
    'How many deliveries may be under way, over the accounts that have events due or under way.',
  ],
  supply_webhook_slots_taken: ['slots_taken', 'Slots that an event has.'],
  supply_audit_breaches: ['audit_breaches', 'The rows of ops.audit when a worker last ran it: 0 while all is well.'],
  supply_database_oldest_snapshot_seconds: [
    'oldest_snapshot_seconds',
    'For how long the oldest open transaction has kept dead rows; only of sessions that the service may see.',
  ],
  supply_database_slot_behind_bytes: ['slot_behind_bytes', 'WAL that the replication slot furthest behind keeps.'],
  supply_queue_dead_rows: ['jobs_dead_rows', "Dead rows of the queue's table, which slow every fetch of a job."],
  supply_database_notify_queue_filled: [
    'notify_queue_filled',
    'How full the queue of notifications is, from 0 to 1; at 1, what notifies fails.',
  ],
  supply_audit_last_run_timestamp_seconds: ['audit_at', 'When a worker last ran the audit.'],
}

const accountGauges: Gauges<Functions['work.account_gauges']['result'][number]> = {
  supply_account_balance: [
    'balance',
    'The balance of an account in its currency; only of the accounts that have metrics of their own.',
  ],
  supply_account_low_balance_threshold: [
    'low_balance_threshold',
    'The balance at or below which an account is low on money; 0: none is set.',
  ],
  supply_account_dead_letters: ['dead_letters', 'Events of an account that are dead letters now.'],
  supply_account_webhooks_waiting: [
    'webhooks_waiting',
    'Events of an account that wait for another attempt; 1000: that many or more.',
  ],
}

const supplierGauges: Gauges<Functions['work.supplier_gauges']['result'][number]> = {
  supply_supplier_balance: ['balance', 'Our balance at a supplier, as the supplier last reported it, in its currency.'],
}

/**
 * Makes a registry with the process's own metrics and those of the worker. The gauges are read from the database at
 * each scrape; while it cannot answer, they are NaN.
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
    help: 'Time of a call to a supplier, by outcome: answered, not_received, not_placed, hold or unknown.',
    labelNames: ['supplier', 'method', 'outcome'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers: [registry],
  })
  const notifiedTimes = new Histogram({
    name: 'supply_order_notified_duration_seconds',
    help: 'Time from placing an order to the attempt of this worker with which its partner took the result.',
    buckets: orderBuckets,
    registers: [registry],
  })
  addGauges(registry, gauges, () => db.call('work.gauges'))
  addGauges(
    registry,
    accountGauges,
    () => db.call('work.account_gauges', { max_accounts: maxAccounts }),
    ['account'],
    ({ account_id }) => ({ account: account_id }),
  )
  addGauges(
    registry,
    supplierGauges,
    () => db.call('work.supplier_gauges'),
    ['supplier', 'currency'],
    ({ supplier, currency }) => ({ supplier, currency }),
  )
  addPoolMetrics(registry, db.usage)
  return {
    registry,
    countDelivery: (outcome) => deliveries.inc({ outcome }),
    countSupplierCall: (verdict) => calls.inc({ verdict }),
    observeSupplierCall: (labels, seconds) => supplierTimes.observe(labels, seconds),
    observeEndedOrder: addEndedOrders(registry),
    observeNotifiedOrder: (seconds) => notifiedTimes.observe(seconds),
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

/**
 * Adds gauges of columns: of the one row, or of each row with the labels that `labelsOf` returns. While the database
 * cannot answer, they are NaN or have no sample.
 */
function addGauges<Row extends object>(
  registry: Registry,
  gauges: Gauges<Row>,
  read: () => Promise<Row[]>,
  labelNames: string[] = [],
  labelsOf?: (row: Row) => Record<string, string>,
): void {
  // All gauges of a scrape read one row.
  const rows = shared(0, () =>
    within<Row[]>(
      scrapeTimeoutMs,
      read().catch(() => []),
      () => [],
    ),
  )
  for (const [name, [column, help]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const known = await rows()
        this.reset()
        if (labelsOf === undefined) this.set(numberOf(known[0]?.[column]))
        else for (const row of known) this.set(labelsOf(row), numberOf(row[column]))
      },
    })
  }
}

function numberOf(value: unknown): number {
  return value instanceof Date ? value.getTime() / 1_000 : Number(value ?? Number.NaN)
}
