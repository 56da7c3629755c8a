import { Refusal } from './errors.ts'

/** Reads a list for an account when it is its turn. Throws a 429 where too many requests of the account wait. */
export type ListTurns = <T>(accountId: string, read: () => Promise<T>) => Promise<T>

/**
 * Bounds how many lists of one account this process reads at once. The other requests wait in the order in which they
 * came, so one account takes few of the connections that all accounts share.
 */
export function createListTurns({ atOnce = 1, maxWaiting = 50 } = {}): ListTurns {
  const accounts = new Map<string, { reading: number; waiting: (() => void)[] }>()

  return async (accountId, read) => {
    const account = accounts.get(accountId) ?? { reading: 0, waiting: [] }
    accounts.set(accountId, account)
    if (account.reading < atOnce) account.reading += 1
    else if (account.waiting.length >= maxWaiting) throw new Refusal('RATE_LIMITED')
    // The request that ends hands its turn over, so the number of reads stays.
    else await new Promise<void>((resolve) => account.waiting.push(resolve))
    try {
      return await read()
    } finally {
      const next = account.waiting.shift()
      if (next) next()
      else account.reading -= 1
      if (account.reading === 0) accounts.delete(accountId)
    }
  }
}
