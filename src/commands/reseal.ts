import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, loadConfig } from '../config.ts'
import { type Database, isUnavailable } from '../database/client.ts'
import { resealed, type StoredTexts } from '../sealing/reseal.ts'
import { type Sealing, Unreadable } from '../sealing/sealing.ts'
import { connectWorker } from './connections.ts'
import { openSealing } from './sealing.ts'

const ordersAtOnce = 200
const pauseMs = 1_000
const maxTries = 60
const maxPasses = 10

/** `npm run reseal`: seals everything with the first key of DATA_KEYS. */
export async function resealCommand(): Promise<void> {
  const config = loadConfig(process.env, { command: 'reseal' })
  if (config.dataKeys === undefined) throw new ConfigError('DATA_KEYS must be set for "npm run reseal"')
  const db = connectWorker(config.databaseUrl ?? '', { pooled: config.databasePooled })
  try {
    console.log(await reseal(db, await openSealing(config.dataKeys, db, 'work')))
  } finally {
    await db.end()
  }
}

/**
 * Seals everything with the first key, in small parts, while the service runs, and then retires the other keys. A run
 * that ended early is simply repeated. Returns what it did, in a line. Throws ConfigError if another key is still
 * needed. It looks at most `maxLooks` times, a second apart, whether earlier transactions have ended.
 */
export async function reseal(db: Database, sealing: Sealing, maxLooks = maxTries): Promise<string> {
  const { keyId: key_id = '' } = sealing
  let moved = await moveAll(db, sealing)
  await withRetries(() => db.call('work.close_data_keys', { but_key_id: key_id }))
  // What came meanwhile may be sealed with another key, or is a copy of such a text.
  for (let passes = 1; ; passes += 1) {
    // guard: what transactions under way still store under a closed key is sealed again
    await waitForWriters(db, maxLooks)
    const late = await moveAll(db, sealing)
    if (late === 0) break
    if (passes === maxPasses)
      throw new ConfigError(
        `a process still seals without the key ${key_id}: restart it with the same DATA_KEYS, then repeat this`,
      )
    moved += late
  }
  await withRetries(() => db.call('work.retire_data_keys', { but_key_id: key_id }))
  return `sealed ${moved} texts with the key ${key_id}: DATA_KEYS needs no other key now`
}

/** Waits until the transactions have ended that may still store what is sealed with a closed key. */
async function waitForWriters(db: Database, maxLooks: number): Promise<void> {
  const writers = () => withRetries(() => db.call('work.list_writers'))
  let open = await writers()
  for (let looks = 1; open.length > 0; looks += 1) {
    const present = new Set((await writers()).map(({ transaction }) => transaction))
    open = open.filter(({ transaction }) => present.has(transaction))
    const [first] = open
    if (first === undefined) return
    if (looks >= maxLooks)
      throw new ConfigError(
        `a transaction of the session with the process id ${first.pid} stays open: end it, then repeat this`,
      )
    await sleep(pauseMs)
  }
}

type Count = { moved: number; unreadable: number }

/** Seals what is not sealed with the first key. Returns how many texts; throws ConfigError if one does not open. */
async function moveAll(db: Database, sealing: Sealing): Promise<number> {
  const { keyId: key_id = '' } = sealing
  const count: Count = { moved: 0, unreadable: 0 }
  const secrets = await withRetries(() => db.call('work.list_secret_texts', { key_id }))
  const groups = secrets.map((row) => [row] as StoredTexts[])
  await move(db, sealing, count, groups)
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const page = await withRetries(() => db.call('work.list_stock_texts', { after, page_limit: ordersAtOnce, key_id }))
    await move(
      db,
      sealing,
      count,
      page.filter(({ kind }) => kind === 'stock').map((row) => [row] as StoredTexts[]),
    )
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
  }
  for (let after = '0'; ; ) {
    const rows = await withRetries(() => db.call('work.list_order_texts', { after, page_limit: ordersAtOnce, key_id }))
    const page = rows.find(({ kind }) => kind === 'page')
    if (page === undefined) break
    const texts = rows.filter((row) => row !== page)
    const byOrder = Map.groupBy(texts, ({ order_id }) => order_id)
    await move(db, sealing, count, [...byOrder.values()] as StoredTexts[][])
    after = page.order_id
  }
  if (count.unreadable > 0)
    throw new ConfigError(
      `${count.unreadable} orders and secrets could not be opened and stay as they are: ops.alerts names them`,
    )
  return count.moved
}

/** Seals groups of texts. A group with a text that does not open stays as it is. */
async function move(db: Database, sealing: Sealing, count: Count, groups: StoredTexts[][]): Promise<void> {
  const changes = groups.flatMap((rows) => {
    try {
      return resealed(rows, sealing)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      count.unreadable += 1
      return []
    }
  })
  if (changes.length > 0) await withRetries(() => db.call('work.replace_texts', { changes }))
  count.moved += changes.length
}

/** Makes a call again while the database cannot answer, or a row is locked. */
async function withRetries<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call()
    } catch (error) {
      if (!isUnavailable(error) || tries === maxTries) throw error
      await sleep(pauseMs)
    }
  }
}
