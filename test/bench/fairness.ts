import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { percentile, type Report } from './figures.ts'
import type { Stage } from './stage.ts'

const partners = 20
const eventsPerSecond = 50
const phaseSeconds = 8
const backlog = 10_000
const rounds = 3

type Phase = { latencies: number[]; lost: number }

/**
 * What the other partners notice of one whose receiver hangs with 10,000 events waiting: the time from the request for
 * an event to its arrival, with and without that partner, turn by turn in one run. The events are samples of test
 * accounts, which go the way of real ones. The backlog comes about once as an operator's redelivery, and once as it
 * stands when the workers come back after a day: all of it due.
 */
export async function fairness(stage: Stage): Promise<Report> {
  const { url, sql } = await stage.database()
  const receiver = await startReceiver()
  const hanging = await startHanging()
  await stage.program({
    args: ['worker'],
    env: { DATABASE_URL: url, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'info' },
    ready: 'the worker runs',
  })
  const accounts = await makeAccounts(sql)
  const hung = await makeAccount(sql, 'hanging')
  await makeDeadLetters(sql, hung, hanging.url)
  const measure = () => phase(sql, accounts, receiver)
  await measure()

  const rows: (string | number)[][] = []
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, pileUp] of [
      ['redelivered', () => redeliver(sql, hung)],
      ['after an outage', () => redeliver(sql, hung).then(() => makeAllDue(sql, hung))],
    ] as const) {
      const quiet = await measure()
      await pileUp()
      const beside = await measure()
      await clearAway(sql, hung)
      rows.push([`${round}: ${name}`, ...compare(quiet, beside)])
    }
  }
  receiver.close()
  hanging.close()
  return {
    title: `Others' deliveries beside a hanging receiver with ${backlog} events waiting (${eventsPerSecond} events/s of ${partners} partners)`,
    columns: [
      'round: backlog',
      'p50 without',
      'p50 with',
      'p95 without',
      'p95 with',
      'p95 ratio',
      'not arrived',
    ],
    rows,
    notes: ['times in milliseconds'],
  }
}

function compare(quiet: Phase, beside: Phase): number[] {
  const [quiet95, beside95] = [percentile(quiet.latencies, 95), percentile(beside.latencies, 95)]
  const medians = [percentile(quiet.latencies, 50), percentile(beside.latencies, 50)]
  return [...medians, quiet95, beside95, beside95 / quiet95, quiet.lost + beside.lost]
}

/** Asks for events at a steady rate, whatever becomes of the earlier ones. */
async function phase(
  sql: postgres.Sql,
  accounts: number[],
  receiver: Awaited<ReturnType<typeof startReceiver>>,
): Promise<Phase> {
  const asked = new Map<string, number>()
  const began = performance.now()
  const total = eventsPerSecond * phaseSeconds
  const requests: Promise<void>[] = []
  for (let n = 0; n < total; n += 1) {
    await sleep(Math.max(0, began + (n * 1000) / eventsPerSecond - performance.now()))
    const account = accounts[n % accounts.length] ?? 0
    const at = performance.now()
    requests.push(
      sql`select api.simulate_webhook(${account}, ${receiver.url}, 'order.completed') as id`.then(([row]) => {
        asked.set(row?.id, at)
      }),
    )
  }
  await Promise.all(requests)
  const deadline = performance.now() + 5_000
  while ([...asked.keys()].some((id) => !receiver.arrivals.has(id)) && performance.now() < deadline) {
    await sleep(20)
  }
  const latencies = [...asked].map(([id, at]) => (receiver.arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at)
  const arrived = latencies.filter((latency) => Number.isFinite(latency))
  return { latencies, lost: latencies.length - arrived.length }
}

async function makeAccount(sql: postgres.Sql, name: string): Promise<number> {
  const [row] = await sql`select ops.create_account(${name}, mode => 'test') as id`
  return Number(row?.id)
}

async function makeAccounts(sql: postgres.Sql): Promise<number[]> {
  const accounts: number[] = []
  for (let n = 1; n <= partners; n += 1) accounts.push(await makeAccount(sql, `partner ${n}`))
  return accounts
}

/** Dead letters of orders, as if the receiver had refused them all. */
async function makeDeadLetters(sql: postgres.Sql, account: number, url: string): Promise<void> {
  await sql`
    with ordered as (
      insert into supply.orders (code, account_id, idempotency_key, external_order_id, callback_url, request_items, status,
        outcome, total_amount, currency, payment_code, completed_at)
      select 'ord_' || n, ${account}, 'k' || n, 'x' || n, ${url}, '[]', 'completed', 'full', 1, 'RUB', 'pay_' || n, now()
      from generate_series(1, ${backlog}::int) n
      returning id, code
    )
    insert into supply.events
      (account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at, dead_at, dead_reason)
    select ${account}, o.id, o.code, 'order.completed', ${url}, repeat('x', 600), 'dead', null, now(), 'http_4xx'
    from ordered o`
}

const redeliver = (sql: postgres.Sql, account: number) =>
  sql`select ops.redeliver_all(${account}, '-infinity', false)`

/** What is there when workers come back after a day: each event has a job for its rung, which is due. */
const makeAllDue = (sql: postgres.Sql, account: number) => sql`
  with due as (
    update supply.events set state = 'waiting', next_attempt_at = now() - interval '1 minute'
    where account_id = ${account} and state = 'queued' returning id
  )
  select count(*) from graphile_worker.add_jobs(array(
    select row('deliver_waiting', json_build_object('id', due.id), null, now(), 1000, 'deliver_webhook:' || due.id, 0, null)
      ::graphile_worker.job_spec
    from due))`

/** Makes dead letters of the backlog again, once nothing of it is under way. */
async function clearAway(sql: postgres.Sql, account: number): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs
    where locked_at is null
      and (payload ->> 'id')::uuid in (select event_id from ops.events where account_id = ${account})`
  const bury = () => sql`
    update supply.events
    set state = 'dead', next_attempt_at = null, claim_expires_at = null, dead_at = now(), dead_reason = 'http_4xx'
    where account_id = ${account} and state in ('waiting', 'queued', 'ready')`
  await bury()
  const sending = () => sql`select from ops.events where account_id = ${account} and state = 'sending'`
  while ((await sending()).length > 0) {
    await sleep(200)
    await bury()
  }
  await sql`delete from supply.delivery_slots where account_id = ${account}`
}

async function startReceiver() {
  const arrivals = new Map<string, number>()
  const server = createHttpServer((request, response) => {
    arrivals.set(String(request.headers['x-idempotency-key']), performance.now())
    request.resume()
    response.writeHead(200).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { arrivals, url: urlOf(server), close: () => server.close() }
}

/** Takes every connection and says nothing. */
async function startHanging() {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.resume()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: urlOf(server), close: () => server.close() }
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}
