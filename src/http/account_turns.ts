import { Refusal } from './errors.ts'

/**
 * Does something for an account when it is its turn, such as to read a list, or an order with many codes. `codes`: how
 * many the answer holds. Throws a 429 where too many requests of the account wait.
 */
export type AccountTurns = <T>(accountId: string, work: () => Promise<T>, codes?: number) => Promise<T>

// Each code takes about half a kilobyte while it is read and opened.
const maxCodes = 20_000

/**
 * Does one thing at a time for each account in this process. Its other requests, `maxWaiting` at most, wait in the order
 * in which they came, so one account takes few of the connections that all accounts share. The answers that are read at
 * one time hold at most 20,000 codes.
 */
export function createAccountTurns(maxWaiting = 50): AccountTurns {
  // The accounts that have their turn now, with the requests that wait.
  const accounts = new Map<string, (() => void)[]>()
  const rooms: { codes: number; begin: () => void }[] = []
  let codesUnderWay = 0

  async function withRoom<T>(wanted: number, work: () => Promise<T>): Promise<T> {
    const codes = Math.min(wanted, maxCodes)
    if (rooms.length > 0 || codesUnderWay + codes > maxCodes) {
      await new Promise<void>((begin) => rooms.push({ codes, begin }))
    } else {
      codesUnderWay += codes
    }
    try {
      return await work()
    } finally {
      codesUnderWay -= codes
      for (let next = rooms[0]; next !== undefined && codesUnderWay + next.codes <= maxCodes; next = rooms[0]) {
        rooms.shift()
        codesUnderWay += next.codes
        next.begin()
      }
    }
  }

  return async (accountId, work, codes = 0) => {
    const waiting = accounts.get(accountId)
    if (waiting === undefined) accounts.set(accountId, [])
    else if (waiting.length >= maxWaiting) throw new Refusal('RATE_LIMITED')
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await (codes === 0 ? work() : withRoom(codes, work))
    } finally {
      const next = accounts.get(accountId)?.shift()
      if (next) next()
      else accounts.delete(accountId)
    }
  }
}
