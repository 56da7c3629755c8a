import * as v from 'valibot'
import type { BalanceReading, SupplierAccess, SupplierCall } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { amount, readBalance } from '../balance.ts'
import { readAnswer } from '../body.ts'
import { inconclusive, type SupplierOutcome, unknown } from '../outcome.ts'
import { object } from '../parts.ts'
import { type Account, readAccount, tokenProblem } from './account.ts'
import { refusalIn } from './codes.ts'

const depositSchema = v.pipe(
  object({ data: object({ deposit: amount }) }),
  v.transform(({ data }) => ({ balance: data.deposit, currency: 'IDR' })),
)

const askForDeposit = (ask: Ask, account: Account) =>
  ask({ path: '/cek-saldo', body: { cmd: 'deposit', ...account.signed('depo') } })

/** Our deposit there. */
export async function readDeposit(ask: Ask, { token }: SupplierAccess): Promise<BalanceReading> {
  const account = readAccount(token)
  if (account === undefined) return { ok: false, error: tokenProblem }
  const exchange = await askForDeposit(ask, account)
  return refusalIn(exchange) ?? readBalance(exchange, depositSchema)
}

/** Checks that the API knows us, which the deposit shows: a transaction cannot be asked for without sending it. */
export async function checkAccount(ask: Ask, { token }: SupplierCall): Promise<SupplierOutcome> {
  const account = readAccount(token)
  if (account === undefined) return unknown(tokenProblem)
  const exchange = await askForDeposit(ask, account)
  if ('answer' in exchange && readAnswer(depositSchema, exchange.answer).ok) return { outcome: 'not_received' }
  return inconclusive(account, exchange, refusalIn(exchange)?.error)
}
