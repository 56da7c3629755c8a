import * as v from 'valibot'
import type { BalanceReading, SupplierAccess } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { balanceSchema } from '../balance.ts'
import { readValue } from '../body.ts'
import { readListed } from '../listing.ts'
import { list, object } from '../parts.ts'
import { readAccount, tokenProblem } from './account.ts'

const accountsSchema = object({ accounts: list(v.unknown()) })

/** The balance of the account that the token names, which is the one that pays our orders, in its own currency. */
export async function readAccountBalance(ask: Ask, { token }: SupplierAccess): Promise<BalanceReading> {
  const account = readAccount(token)
  if (account === undefined) return { ok: false, error: tokenProblem }
  const read = readListed(accountsSchema, await ask({ path: '/v1.0/accounts' }))
  if (!read.ok) return read
  const isOurs = v.object({ id: v.literal(account.accountId) })
  const ours = read.value.accounts.find((entry) => v.is(isOurs, entry))
  if (ours === undefined) return { ok: false, error: 'it lists no account with the id of the token' }
  const balance = readValue(balanceSchema, ours)
  return balance.ok
    ? { ok: true, ...balance.value }
    : { ok: false, error: `our account is unusable: ${balance.problem}` }
}
