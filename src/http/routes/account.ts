import type { RouteContext } from '../context.ts'
import * as account from '../models/account.ts'
import { replyUnstored } from '../reply.ts'
import { transactionsQuery } from '../schemas.ts'
import { route } from './route.ts'

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

const tag = 'Balance'

/**
 * The account of a request: what the service knows of it and its key, its balance and its ledger. The balance is the
 * present one, so it is never read from a standby.
 */
export const accountRoutes = [
  route({
    method: 'get',
    path: '/b2b/me',
    access: 'key',
    id: 'getMe',
    tag: 'Account',
    summary: 'Read your account and key',
    description:
      'The account and the key of the request, what is left of the rate limit, and your address as the service sees ' +
      'it. Use it as a first call, and when the service refuses something.',
    answers: { 200: { description: 'The account and the key.', data: account.me } },
    handle: async (ctx, { db, config, account: { id: account_id, keyId: key_id } }) => {
      const me = await ctx.state.databaseTime(() => db.call('api.get_me', { account_id, key_id }))
      if (me === null) throw new Error('an authenticated account does not exist')
      const budget = (name: string) => Number(ctx.response.get(`X-RateLimit-${name}`))
      const { webhookSourceAddresses: webhookAddresses } = config
      const rateLimit = { limit: budget('Limit'), remaining: budget('Remaining'), resetSeconds: budget('Reset') }
      replyUnstored(ctx, JSON.stringify({ ...JSON.parse(me), rateLimit, address: ctx.state.client, webhookAddresses }))
    },
  }),
  route({
    method: 'get',
    path: '/b2b/balance',
    access: 'key',
    id: 'getBalance',
    tag,
    summary: 'Read the balance',
    description: 'The amount that you can spend, and the amount that is charged on orders that are not final.',
    answers: { 200: { description: 'The balance.', data: account.balance } },
    handle: async (ctx, { db, account: { id: account_id } }) => {
      const balance = await ctx.state.databaseTime(() => db.call('api.get_balance', { account_id }))
      if (balance === null) throw new Error('an authenticated account has no balance')
      replyUnstored(ctx, balance)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/balance/transactions',
    access: 'key',
    id: 'listTransactions',
    tag,
    summary: 'List transactions',
    description:
      'Deposits, charges, refunds and adjustments, newest first. `Accept: text/csv` gives the same page as CSV.',
    query: transactionsQuery,
    answers: {
      200: {
        description: 'The transactions.',
        data: account.transactionPage,
        types: ['text/csv'],
        headers: ['Cache-Control', 'Vary', 'X-Next-Cursor'],
      },
    },
    handle: async (
      ctx,
      { reads, turns, account: { id: account_id }, query: { limit: page_limit, cursor: before_seq, from, to } },
    ) => {
      const asked = { account_id, page_limit, before_seq, created_from: from, created_to: to }
      const read = () => reads.call('api.list_transactions', asked)
      const ledger = await turns(account_id, () => ctx.state.databaseTime(read))
      if (ledger === null) throw new Error('an authenticated account has no ledger')
      ctx.vary('Accept')
      if (ctx.accepts('application/json', 'text/csv') === 'text/csv') replyCsv(ctx, JSON.parse(ledger) as Ledger)
      else replyUnstored(ctx, ledger)
    },
  }),
]

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
