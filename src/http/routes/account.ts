import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { replyUnstored } from '../reply.ts'
import { transactionsQuery } from '../schemas.ts'
import { readQuery } from '../validate.ts'
import type { RouteOptions } from './options.ts'

/** A page of the ledger, as far as CSV shows it. */
type Ledger = {
  transactions: { [column: string]: string | number | null }[]
  pagination: { nextCursor: string | null }
}

const columns = [
  'seq',
  'type',
  'amount',
  'balanceAfter',
  'currency',
  'orderCode',
  'externalOrderId',
  'paymentCode',
  'createdAt',
  'reference',
]
const money = new Set(['amount', 'balanceAfter'])

/**
 * The account of a request: what the service knows of it and its key, its balance and its ledger. The balance is the
 * present one, so it is never read from a standby.
 */
export function addAccountRoutes(routes: Routes, options: RouteOptions): void {
  routes.get('/b2b/me', (ctx) => getMe(ctx, options))
  routes.get('/b2b/balance', (ctx) => getBalance(ctx, options))
  routes.get('/b2b/balance/transactions', (ctx) => listTransactions(ctx, options))
}

async function getMe(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const me = await ctx.state.databaseTime(() => db.call('api.get_me', { account_id, key_id }))
  if (me === null) throw new Error('an authenticated account does not exist')
  const budget = (name: string) => Number(ctx.response.get(`X-RateLimit-${name}`))
  const rateLimit = { limit: budget('Limit'), remaining: budget('Remaining'), resetSeconds: budget('Reset') }
  replyUnstored(ctx, JSON.stringify({ ...JSON.parse(me), rateLimit, address: ctx.state.client }))
}

async function getBalance(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const balance = await ctx.state.databaseTime(() => db.call('api.get_balance', { account_id: accountOf(ctx).id }))
  if (balance === null) throw new Error('an authenticated account has no balance')
  replyUnstored(ctx, balance)
}

async function listTransactions(ctx: RouteContext, { reads, turns }: RouteOptions): Promise<void> {
  const { limit, cursor, from, to } = readQuery(ctx, transactionsQuery)
  const { id } = accountOf(ctx)
  const read = () =>
    reads.call('api.list_transactions', {
      account_id: id,
      page_limit: limit,
      before_seq: cursor,
      created_from: from,
      created_to: to,
    })
  const ledger = await turns(id, () => ctx.state.databaseTime(read))
  if (ledger === null) throw new Error('an authenticated account has no ledger')
  ctx.vary('Accept')
  if (ctx.accepts('application/json', 'text/csv') === 'text/csv') replyCsv(ctx, JSON.parse(ledger) as Ledger)
  else replyUnstored(ctx, ledger)
}

/** The same page as CSV, amounts with their two decimals; `X-Next-Cursor` takes the place of `pagination`. */
function replyCsv(ctx: RouteContext, { transactions, pagination }: Ledger): void {
  ctx.set('Cache-Control', 'no-store')
  if (pagination.nextCursor !== null) ctx.set('X-Next-Cursor', pagination.nextCursor)
  ctx.status = 200
  ctx.type = 'text/csv'
  ctx.body = toCsv(columns, transactions.map(csvRow))
}

function csvRow(transaction: Ledger['transactions'][number]): CsvRow {
  return columns.map((column) => {
    const value = transaction[column] ?? null
    return typeof value === 'number' && money.has(column) ? value.toFixed(2) : value
  })
}

/** A row to be written: texts and numbers as they are, null as an empty field. */
type CsvRow = readonly (string | number | null)[]

/**
 * Writes a table as CSV (RFC 4180): CRLF after every line; quoted is what holds a quote, a comma or a line break, or
 * begins or ends with white space. Nothing is altered, so that what is read back is exactly what was written.
 */
function toCsv(header: readonly string[], rows: readonly CsvRow[]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
