// Proves that your books and the supplier's agree, up to a moment: the last midnight in UTC unless
// given. Ends with 0 where they do, else, or where they could not be read, with 1. Needs Node 24.
//
//   node reconcile.ts
//   node reconcile.ts 2026-03-02T23:59:59.999Z
import { DatabaseSync } from 'node:sqlite'

const { BASE_URL = 'http://127.0.0.1:3000', API_KEY = '', DATABASE = 'shop.db' } = process.env
const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0)).toISOString()
const [until = midnight] = process.argv.slice(2)

process.umask(0o077) // your orders' answers, which it holds too, can hold keys of games
const db = new DatabaseSync(DATABASE)
db.exec(`
  pragma busy_timeout = 10000;
  create table if not exists purchases (reference text primary key, player text not null);
  create table if not exists supply_orders (
    reference text primary key references purchases, request text not null,
    status int, answer text);
  create table if not exists statement (
    seq int primary key, type text, cents int, balance_after int, order_code text, reference text);
  create index if not exists statement_reference on statement (reference);
  create table if not exists results (
    seq int primary key, order_code text, reference text, total int, refunded int, failed int,
    completed_at text);
  create index if not exists results_order on results (order_code)`)

const toCents = (amount: number) => Math.round(amount * 100)
const differences: string[] = []

// What you ordered before you ask is in the answers. What is in them, you had stored before.
const ordered = db.prepare('select reference from supply_orders where status in (200, 201)').all()
await readResults()
const { closing, end } = await readStatement()
judgeStatement(closing, end)
judgeOrders(end)
await judgeOwn(ordered.map(({ reference }) => String(reference)))

for (const difference of differences) console.log(difference)
const closingBalance = (closing / 100).toFixed(2)
console.log(`until ${until}: closing balance ${closingBalance}, ${differences.length} differences`)
process.exitCode = differences.length === 0 ? 0 : 1

async function get(path: string) {
  const response = await fetch(BASE_URL + path, {
    headers: { 'X-Api-Key': API_KEY },
    redirect: 'error', // a redirect would carry the key to another server
    signal: AbortSignal.timeout(30_000),
  })
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
  return JSON.parse(await response.text()).data
}

/** The results after the last one that is kept, a page and a transaction at a time. */
async function readResults(): Promise<void> {
  const insert = db.prepare('insert into results values (?, ?, ?, ?, ?, ?, ?)')
  for (let hasMore = true; hasMore; ) {
    const kept = db.prepare('select coalesce(max(seq), 0) as seq from results').get()
    const page = await get(`/b2b/results?after=${kept?.seq}&limit=100`)
    db.exec('begin immediate')
    for (const result of page.results) {
      const { seq, orderCode, externalOrderId, totalAmount, refundedAmount, completedAt } = result
      let failed = 0
      for (const { status, price, amount } of result.items) {
        if (status === 'failed') failed += toCents(price) * amount
      }
      const amounts = [toCents(totalAmount), toCents(refundedAmount), failed]
      insert.run(seq, orderCode, externalOrderId, ...amounts, completedAt)
    }
    db.exec('commit')
    hasMore = page.hasMore
  }
}

/** Keeps the transactions after the last one kept. The balance at the moment, and its last row. */
async function readStatement(): Promise<{ closing: number; end: number }> {
  const kept = Number(db.prepare('select coalesce(max(seq), 0) as seq from statement').get()?.seq)
  const path = `/b2b/balance/transactions?limit=100&to=${encodeURIComponent(until)}`
  const first = await get(path)
  const rows = [...first.transactions] // the newest first
  for (let page = first; page.pagination.hasMore && rows.at(-1).seq > kept + 1; ) {
    page = await get(`${path}&cursor=${page.pagination.nextCursor}`)
    rows.push(...page.transactions)
  }
  const insert = db.prepare('insert into statement values (?, ?, ?, ?, ?, ?)')
  db.exec('begin immediate')
  for (const row of rows.filter(({ seq }) => seq > kept)) {
    const amounts = [toCents(row.amount), toCents(row.balanceAfter)]
    insert.run(row.seq, row.type, ...amounts, row.orderCode, row.externalOrderId)
  }
  db.exec('commit')
  return { closing: toCents(first.closingBalance), end: first.transactions[0]?.seq ?? 0 }
}

/** Opening balance and movements make the closing balance, and no movement is missing. */
function judgeStatement(closing: number, end: number): void {
  let [last, balance] = [0, 0]
  const rows = db.prepare('select * from statement where seq <= ? order by seq').all(end)
  for (const { seq, cents, balance_after } of rows) {
    if (seq !== last + 1) differences.push(`statement: ${seq} comes after ${last}`)
    balance += Number(cents)
    if (balance !== balance_after) {
      differences.push(`statement: the balance after ${seq} does not follow`)
    }
    last = Number(seq)
    balance = Number(balance_after)
  }
  if (balance !== closing) {
    differences.push(`statement: it ends with ${balance}, not with ${closing}`)
  }
}

/** What you ordered is charged once; of each that is final, what failed came back, and no more. */
function judgeOrders(end: number): void {
  const orders = db.prepare(`
    select s.order_code, s.reference,
      (select count(*) from statement
        where type = 'order_charge' and reference = s.reference) as charges,
      -sum(case type when 'order_charge' then cents else 0 end) as charged,
      sum(case type when 'order_refund' then cents else 0 end) as refunded,
      r.total, r.refunded as told, r.failed
    from statement s
    left join results r on r.order_code = s.order_code and r.completed_at <= ?
      and r.seq = (select max(seq) from results where order_code = s.order_code)
    where s.seq <= ? and type in ('order_charge', 'order_refund') group by s.order_code`)
  for (const one of orders.all(until, end)) {
    if (one.charges !== 1) differences.push(`${one.reference}: charged ${one.charges} times`)
    if (one.total === null) {
      if (one.refunded !== 0) differences.push(`${one.reference}: refunded without a result`)
      continue
    }
    if (one.charged !== one.total) {
      differences.push(`${one.reference}: charged ${one.charged}, not ${one.total}`)
    }
    if (one.refunded !== one.told || one.refunded !== one.failed) {
      const told = `told ${one.told}, failed items ${one.failed}`
      differences.push(`${one.reference}: refunded ${one.refunded}, ${told}`)
    }
  }
}

/** Every order of ours is theirs, and every one of theirs is ours. */
async function judgeOwn(ordered: string[]): Promise<void> {
  const charged = db.prepare("select 1 from statement where type = 'order_charge' and reference = ?")
  for (const reference of ordered) {
    if (charged.get(reference) !== undefined) continue
    // Placed after the moment, perhaps: the list knows every order at once.
    const { orders } = await get(`/b2b/orders?externalOrderId=${encodeURIComponent(reference)}`)
    if (orders.length === 0) differences.push(`${reference}: ordered by us, and they do not know it`)
  }
  const foreign = db.prepare(`
    select distinct reference, order_code from statement
    where type = 'order_charge' and reference not in (
      select reference from supply_orders where status is null or status in (200, 201))`)
  for (const { reference, order_code } of foreign.all()) {
    differences.push(`${reference}: they have it as ${order_code}, and we do not know it`)
  }
}
