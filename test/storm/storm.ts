import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { migrate } from '../../src/migrate/migrate.ts'
import { makeCatalog, makePartner, products } from '../support/partner.ts'
import { type AuditWatch, watchAudit } from './audit.ts'
import { awaitCalm, type Calm } from './calm.ts'
import { startClient } from './client.ts'
import { compareAccount } from './compare.ts'
import { bringTrouble, databaseFaults, heal, processFaults } from './faults.ts'
import { type Account, isPlaced, movingProduct, repeatedProduct, type Sort } from './model.ts'
import { type Partners, placeOnce, runPartner } from './operations.ts'
import { createOperators, type Operators } from './operators.ts'
import { type Part, type Supervised, supervise } from './processes.ts'
import { randomOf } from './random.ts'
import { type Receivers, startReceivers } from './receivers.ts'
import { createReport, type Report } from './report.ts'
import { startStormServer } from './server.ts'
import { type Suppliers, startSuppliers } from './suppliers.ts'
import { type StormWarehouse, startWarehouse } from './warehouse.ts'

export type StormOptions = {
  seed: number
  seconds: number
  partners: number
  apis: number
  workers: number
  /** How long a partner waits between two operations, on average. */
  pauseMs: number
  /** How long it takes from one fault to the next of its kind, on average. */
  faultMs: number
  say: (line: string) => void
  /** Gets what the processes complain of. */
  hear?: (line: string) => void
}

// Without any progress. How long it takes in all depends on what the machine does besides.
const longestDrainMs = 240_000
const longestStartMs = 60_000

/** Runs a storm, lets it calm down, and compares. Returns all figures; `differences` are what must not be. */
export async function runStorm(options: StormOptions): Promise<Report> {
  const { seed, say } = options
  const report = createReport(say)
  const calm = awaitCalm()
  const closing: (() => Promise<unknown>)[] = []
  try {
    const stage = await setStage(options, { calm, report, closing })
    const timer = setTimeout(calm.begin, options.seconds * 1_000)
    const ticker = setInterval(() => say(lineOf(report)), 10_000)
    closing.push(async () => {
      clearTimeout(timer)
      clearInterval(ticker)
    })
    const { partners, accounts, scene } = stage
    await Promise.all([
      ...accounts.map((account) =>
        runPartner(account, partners, randomOf(seed, `partner ${account.accountId}`), options.pauseMs),
      ),
      bringTrouble(processFaults, scene, randomOf(seed, 'processes'), options.faultMs),
      bringTrouble(databaseFaults, scene, randomOf(seed, 'database'), options.faultMs),
      attend(partners),
    ])
    say('the storm is over')
    await heal(scene)
    // A budget that was used up stays so for a minute, for that address.
    for (const account of accounts) account.address = account.address.replace(/^10[.]7[.]/, '10.8.')
    // What is under way somewhere ends before its outcome is asked for.
    await sleep(4_000)
    say('asking for what is unknown')
    await resolveUnknown(accounts, partners)
    say('draining')
    await drain(partners)
    say('comparing')
    await stage.audit.finish()
    await stage.warehouse?.finish()
    await compareAll(stage)
    for (const { part, endings } of scene.processes) {
      for (const [how, times] of Object.entries(endings())) report.count(`${part} ended: ${how}`, times)
    }
    return report
  } finally {
    calm.begin()
    for (const close of closing.reverse()) await close().catch((error: unknown) => say(String(error)))
  }
}

type Stage = {
  partners: Partners
  accounts: Account[]
  suppliers: Suppliers
  scene: Parameters<typeof heal>[0]
  audit: AuditWatch
  warehouse: StormWarehouse | undefined
}

async function setStage(
  { seed, apis, workers, partners: count, say, hear }: StormOptions,
  { calm, report, closing }: { calm: Calm; report: Report; closing: (() => Promise<unknown>)[] },
): Promise<Stage> {
  const server = await startStormServer()
  closing.push(server.close)
  if (!server.canBeFilled) say('no file system can be mounted here: the disk does not fill up')
  await migrate({ databaseUrl: server.url })
  const admin = postgres(server.url, { max: 3, onnotice: () => {}, connect_timeout: 5, fetch_types: false })
  closing.push(() => admin.end({ timeout: 2 }))

  const parts: Part[] = [...Array(apis).fill('api'), ...Array(workers).fill('worker')]
  const processes: Supervised[] = []
  closing.push(() => Promise.all(processes.map((process) => process.end())))
  const complain = (line: string) => {
    report.count('lines of errors')
    hear?.(line)
  }
  for (const part of parts) processes.push(await supervise(part, server, complain))
  const client = await startClient(
    processes.filter(({ part }) => part === 'api'),
    randomOf(seed, 'doors'),
  )
  closing.push(client.close)
  const suppliers = await startSuppliers({ client: () => client, calm, report }, randomOf(seed, 'suppliers'))
  closing.push(suppliers.close)
  const receivers = await startReceivers(calm, report)
  closing.push(receivers.close)
  const operators = createOperators(server.url, { calm, report }, randomOf(seed, 'operators'))
  closing.push(operators.close)
  const accounts = await openShop(admin, suppliers, operators, count)
  await allReady(processes)
  const audit = watchAudit(server.url, report)
  closing.push(audit.close)
  const warehouse = await startWarehouse(admin, server.url, { calm, report })
  if (warehouse === undefined) say('no python3 or psql here: no warehouse reads on')
  const partners = { client, operators, receivers, calm, report }
  return { partners, accounts, suppliers, scene: { server, processes, admin, calm, report }, audit, warehouse }
}

async function allReady(processes: Supervised[]): Promise<void> {
  const late = sleep(longestStartMs, undefined, { ref: false }).then(() => {
    throw new Error('API and workers did not get ready')
  })
  await Promise.race([Promise.all(processes.map((process) => process.ready())), late])
}

const sorts: Sort[] = ['rich', 'poor', 'rich', 'dollars', 'rich', 'test', 'poor', 'storefront']

async function openShop(
  sql: postgres.Sql,
  suppliers: Suppliers,
  operators: Operators,
  count: number,
): Promise<Account[]> {
  const [first, second] = suppliers.list
  if (first === undefined || second === undefined) throw new Error('there must be two suppliers')
  await makeCatalog(sql, first)
  await sql`select ops.upsert_supplier(${second.code}, ${second.url}, ${second.token})`
  await operators.changePrice(500)
  for (const id of [...Object.values(products), movingProduct]) {
    if (id === movingProduct) await sql`select ops.upsert_offer(${id}, ${first.code}, 'moving')`
    await sql`select ops.upsert_offer(${id}, ${second.code}, ${`other-${id}`}, priority => 200)`
  }
  await offerRepeated(sql, suppliers.repeated)
  const accounts: Account[] = []
  for (let n = 0; n < count; n += 1) {
    const sort = sorts[n % sorts.length] ?? 'rich'
    const balance = sort === 'poor' ? 500 : 300_000
    const { accountId, key } = await makePartner(sql, {
      name: `Partner ${n}`,
      balance,
      kind: sort === 'storefront' ? 'storefront' : 'supply',
      mode: sort === 'test' ? 'test' : 'live',
      currency: sort === 'dollars' ? 'USD' : 'RUB',
    })
    const entries = new Map([['first deposit', balance * 100]])
    const address = `10.7.${Math.floor(n / 250)}.${(n % 250) + 1}`
    accounts.push({ accountId, sort, key, address, intents: [], entries, statuses: new Map(), wasSwitchedOff: false })
  }
  return accounts
}

/** A product in roubles that costs rupiah, at the supplier that is asked by repeating. */
async function offerRepeated(sql: postgres.Sql, { code, url, token }: Suppliers['repeated']): Promise<void> {
  const fields = ['plan', 'gameUserId'].map((id) => ({ id, required: true }))
  await sql`select ops.upsert_supplier(${code}, ${url}, ${token}, 'digiflazz')`
  await sql`select ops.set_supplier_sync(${code}, null)`
  await sql`select ops.set_rate('IDR', 'RUB', 0.005, now() + interval '1 day')`
  await sql`select ops.upsert_product(
    ${repeatedProduct}, 'space-trader', '86 diamonds', 12.00, 'RUB', 'id_only', ${sql.json(fields)}, max_quantity => 1)`
  await sql`select ops.upsert_offer(
    ${repeatedProduct}, ${code}, 'game86', 700, currency => 'IDR', recipient => '{plan}:{gameUserId}')`
}

async function attend({ operators, calm }: Partners): Promise<void> {
  while (!calm.hasBegun()) {
    await calm.pause(3_000)
    await operators.attend(0.3)
  }
}

/** Repeats what the partner does not know the outcome of, until it does. */
async function resolveUnknown(accounts: Account[], partners: Partners): Promise<void> {
  const end = Date.now() + longestDrainMs
  for (;;) {
    const open = accounts.flatMap(({ intents }) => intents).filter((intent) => isOpen(intent))
    if (open.length === 0) return
    if (Date.now() > end) {
      for (const { body } of open) partners.report.difference('the outcome stays unknown', body.externalOrderId)
      return
    }
    for (const intent of open.slice(0, 32)) {
      const { unknown } = intent
      await placeOnce(intent, partners)
      if (intent.unknown === unknown) settled.add(intent)
    }
  }
}

const settled = new WeakSet<object>()
const isOpen = (intent: Account['intents'][number]) => isPlaced(intent) === undefined && !settled.has(intent)

/** Waits until every order is final and every event delivered; operators hurry what would take long. */
async function drain({ operators, report }: Partners): Promise<void> {
  let end = Date.now() + longestDrainMs
  let least = Number.POSITIVE_INFINITY
  for (;;) {
    const open = await operators.openWork()
    const count = open === undefined ? least : open.orders + open.events
    if (count === 0) return
    if (count < least) {
      least = count
      end = Date.now() + longestDrainMs
    }
    if (Date.now() > end) {
      report.difference('did not drain', JSON.stringify(open))
      return
    }
    await operators.attend(1)
    await sleep(1_000)
  }
}

async function compareAll({ partners, accounts, suppliers }: Stage): Promise<void> {
  const { client, operators, receivers, report } = partners
  const events = byOrder(receivers)
  const evidence = { client, operators, suppliers, events, report }
  const items = new Set<string>()
  for (const account of accounts) {
    for (const id of await compareAccount(account, evidence)) items.add(id)
  }
  for (const reference of suppliers.references()) {
    if (!items.has(reference)) report.difference('a supplier was sent what no order has', reference)
  }
  const codes = new Set(accounts.flatMap(({ intents }) => intents).flatMap((intent) => [...intent.codes]))
  for (const code of events.keys()) if (!codes.has(code)) report.difference('an event of no known order', code)
}

function byOrder(receivers: Receivers) {
  return Map.groupBy(receivers.events(), ({ body }) => JSON.parse(body).data.orderCode as string)
}

function lineOf(report: Report): string {
  const short = [
    'operations',
    'orders acknowledged',
    'unknown outcomes',
    'webhooks',
    'sends to suppliers',
    'looks at the audit',
    'differences',
    'faults',
  ]
  return short.map((what) => `${what} ${report.counted(what)}`).join(', ')
}
