import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { toText } from '../../src/database/types.ts'
import type { Calm } from './calm.ts'
import { type Account, movingProduct } from './model.ts'
import { codesOf, settlementOf } from './plans.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'

/** What operators do in SQL, with an operator's rights. What fails is done again where that is safe. */
export type Operators = {
  /** Books a deposit under a reference of its own, and repeats that until it is certain. In hundredths. */
  deposit(account: Account, amount: number): Promise<void>
  adjust(account: Account, amount: number): Promise<void>
  rotateKey(account: Account): Promise<void>
  setBudget(account: Account, perMinute: number | null): Promise<void>
  setActive(account: Account, active: boolean): Promise<void>
  /** Sets the price of the product whose price moves, in hundredths. */
  changePrice(price: number): Promise<void>
  /** All prices that it had, or may have had. */
  movingPrices: ReadonlySet<number>
  /** Looks at what waits for a human, and does something about some of it, or all. */
  attend(share: number): Promise<void>
  /** How often the operator started another round of an event. */
  rounds(eventId: string): number
  /** Counts a round that a partner asks for himself, whatever comes of it. */
  noteRound(eventId: string): void
  webhookSecret(accountId: number): Promise<string | undefined>
  /** What is left to do: open orders, and events that are neither delivered nor dead. */
  openWork(): Promise<{ orders: number; events: number } | undefined>
  close(): Promise<void>
}

/** An operator's act failed because what it was for is not so any more. */
const wrongState = '55000'
const timeoutMs = 120_000

/** Connects an operator of the storm to the database. */
export function createOperators(url: string, context: { calm: Calm; report: Report }, random: Random): Operators {
  const { report } = context
  const sql = postgres(url, {
    max: 6,
    onnotice: () => {},
    connect_timeout: 5,
    // postgres.js does not catch it where a connection breaks off meanwhile.
    fetch_types: false,
    connection: { role: 'supply_operator', statement_timeout: 10_000, lock_timeout: 3_000 },
  })
  const rounds = new Map<string, number>()
  const movingPrices = new Set<number>()
  let counter = 0

  async function untilCertain<T>(act: () => Promise<T>): Promise<T> {
    const end = Date.now() + timeoutMs
    for (;;) {
      try {
        return await limited(act())
      } catch (error) {
        report.count('operators had to repeat')
        if (Date.now() > end) throw error
        await sleep(300)
      }
    }
  }

  /** Does what may have become pointless. */
  async function attempt(what: string, act: () => Promise<unknown>): Promise<boolean> {
    try {
      await limited(act())
      report.count(`operators: ${what}`)
      return true
    } catch (error) {
      const code = error instanceof postgres.PostgresError ? error.code : ''
      if (code === '22023' || code === 'P0002') report.difference(`an operator could not ${what}`, String(error))
      return code === wrongState
    }
  }

  async function book(account: Account, amount: number, name: 'deposit' | 'adjust'): Promise<void> {
    counter += 1
    const reference = `${name}-${account.accountId}-${counter}`
    account.entries.set(reference, amount)
    const money = (amount / 100).toFixed(2)
    const act = () =>
      name === 'deposit'
        ? sql`select ops.deposit(${account.accountId}, ${money}::numeric, ${reference})`
        : sql`select ops.adjust(${account.accountId}, ${money}::numeric, ${reference}, 'a storm')`
    await untilCertain(act)
    report.count(`operators: ${name}`)
    if (random.chance(0.3)) await untilCertain(act)
  }

  async function newKey(account: Account): Promise<void> {
    const [row] = await untilCertain(() => sql`select ops.issue_key(${account.accountId}) as key`)
    account.key = row?.key
  }

  async function settle(item: { item_id: string; codes_kept: number; amount: number }): Promise<void> {
    const { item_id: id, amount } = item
    const settlement = settlementOf(id)
    const codes = { all: codesOf(id, amount).slice(amount - 1), none: [], part: null }[settlement]
    const outcome = settlement === 'all' ? 'completed' : 'failed'
    await attempt(
      'settle',
      () => sql`select ops.settle_item(${id}, ${outcome}, ${toText(codes, 'text[]')}, 'Решено оператором')`,
    )
  }

  function noteRound(id: string): void {
    rounds.set(id, (rounds.get(id) ?? 0) + 1)
  }

  async function redeliver(id: string): Promise<void> {
    noteRound(id)
    await attempt('redeliver', () => sql`select ops.redeliver(${id})`)
  }

  return {
    deposit: (account, amount) => book(account, amount, 'deposit'),
    adjust: (account, amount) => book(account, amount, 'adjust'),
    rotateKey: async (account) => {
      try {
        const [key] = await limited(sql`
          select max(key_id) as id from ops.api_keys where account_id = ${account.accountId} and active`)
        const [row] = await limited(sql`select ops.rotate_key(${key?.id}) as key`)
        account.key = row?.key
        report.count('operators: rotate the key')
      } catch {
        // The replacement may have been made, and was not seen by anybody.
        await newKey(account)
      }
    },
    setBudget: async (account, perMinute) => {
      await untilCertain(() => sql`select ops.set_rate_limit(${account.address}::cidr, ${perMinute})`)
      report.count('operators: set a budget')
    },
    setActive: async (account, active) => {
      account.wasSwitchedOff = true
      await untilCertain(() => sql`select ops.set_account_active(${account.accountId}, ${active})`)
      report.count('operators: switch an account')
    },
    movingPrices,
    changePrice: async (price) => {
      movingPrices.add(price)
      const money = (price / 100).toFixed(2)
      await untilCertain(
        () => sql`select ops.upsert_product(${movingProduct}, 'space-trader', 'At a moving price', ${money}::numeric,
          'RUB', 'id_only', '[]', allow => '{large_change}')`,
      )
      report.count('operators: change a price')
    },
    attend: async (share) => {
      const chosen = <T>(list: readonly T[]) => list.filter(() => random.chance(share))
      try {
        const held = await limited(
          sql`select item_id, codes_kept, amount from ops.stuck_items where why = 'held' limit 50`,
        )
        for (const item of chosen(held)) await settle(item as never)
        const dead = await limited(sql`select event_id from ops.dead_letters limit 50`)
        for (const { event_id: id } of chosen(dead)) await redeliver(id)
        const waiting = await limited(sql`
          select event_id from ops.events where state = 'waiting' and next_attempt_at > now() + interval '2 s' limit 100`)
        for (const { event_id: id } of chosen(waiting))
          await attempt('deliver now', () => sql`select ops.deliver_now(${id})`)
        const later = await limited(sql`
          select item_id from ops.order_items
          where status = 'processing' and next_check_at > now() + interval '2 s' limit 100`)
        for (const { item_id: id } of chosen(later)) await attempt('poll now', () => sql`select ops.poll_now(${id})`)
      } catch {
        report.count('operators could not look')
      }
    },
    rounds: (eventId) => rounds.get(eventId) ?? 0,
    noteRound,
    webhookSecret: async (accountId) => {
      const [row] = await untilCertain(() => sql`select ops.webhook_secret(${accountId}) as secret`)
      return row?.secret ?? undefined
    },
    openWork: async () => {
      try {
        const [row] = await limited(sql`
          select (select count(*)::int from ops.orders where completed_at is null) as orders,
            (select count(*)::int from ops.events where state <> 'delivered') as events`)
        return row as { orders: number; events: number }
      } catch {
        return undefined
      }
    },
    close: () => sql.end({ timeout: 2 }),
  }
}

/** Rejects when an answer has not come in time: a connection may have died without a word. */
async function limited<T>(act: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database does not answer')), 15_000)
  })
  try {
    return await Promise.race([act, late])
  } finally {
    clearTimeout(timer)
  }
}
