import { Refusal } from './errors.ts'

/** Reads a list for an account when it is its turn. Throws a 429 where too many requests of the account wait. */
export type ListTurns = <T>(accountId: string, read: () => Promise<T>) => Promise<T>

const maxWaiting = 50

/**
 * Makes one account read one list at a time in this process. The other requests wait in the order in which they came,
 * so one account takes few of the connections that all accounts share.
 */
export function createListTurns(): ListTurns {
  // The accounts that read a list now, with the requests that wait.
  const accounts = new Map<string, (() => void)[]>()

  return async (accountId, read) => {
    const waiting = accounts.get(accountId)
    if (waiting === undefined) accounts.set(accountId, [])
    else if (waiting.length >= maxWaiting) throw new Refusal('RATE_LIMITED')
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await read()
    } finally {
      const next = accounts.get(accountId)?.shift()
      if (next) next()
      else accounts.delete(accountId)
    }
  }
}
