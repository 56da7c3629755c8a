import type { Database } from '../../database/client.ts'
import type { Reads } from '../../database/reads.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { type CsvRow, toCsv } from '../csv.ts'
import { refuseInvalid } from '../errors.ts'
import type { ListTurns } from '../list_turns.ts'
import { replyUnstored } from '../reply.ts'
import { transactionsQuery } from '../schemas.ts'
import { checkQuery } from '../validate.ts'

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

/** The balance and the ledger of an account. The balance is what counts now, and is never read from a standby. */
export function addBalanceRoutes(
  routes: Routes,
  { db, reads, turns }: { db: Database; reads: Reads; turns: ListTurns },
): void {
  routes.get('/b2b/balance', (ctx) => getBalance(ctx, db))
  routes.get('/b2b/balance/transactions', (ctx) => listTransactions(ctx, reads, turns))
}

async function getBalance(ctx: RouteContext, db: Database): Promise<void> {
  const balance = await ctx.state.databaseTime(() => db.call('api.get_balance', { account_id: accountOf(ctx).id }))
  if (balance === null) throw new Error('an authenticated account has no balance')
  replyUnstored(ctx, balance)
}

async function listTransactions(ctx: RouteContext, reads: Reads, turns: ListTurns): Promise<void> {
  const query = checkQuery(ctx, transactionsQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const { limit, cursor, from, to } = query.value
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
