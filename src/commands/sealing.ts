import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, ConfigError } from '../config.ts'
import type { Database } from '../database/client.ts'
import { isNotMigrated } from '../database/errors.ts'
import { type Log, safeError } from '../log.ts'
import type { DataKeys } from '../sealing/data_keys.ts'
import {
  createSealing,
  isSealed,
  noSealing,
  openKeys,
  openUnder,
  openWithAny,
  owners,
  type Sealing,
  sealUnder,
} from '../sealing/sealing.ts'
import { OldDatabase } from './connections.ts'

const functions = {
  api: { register: 'api.register_data_key', report: 'api.report_unreadable' },
  work: { register: 'work.register_data_key', report: 'work.report_unreadable' },
} as const

type Schema = keyof typeof functions

/** The login of the API may not register the first key of a database. */
class NoKeyYet extends Error {
  override message = 'the database has no data key yet: waiting for a worker, which registers the first of DATA_KEYS'
}

const boundTo = 'fingerprint key'
const pauseMs = 1_000

/**
 * The sealing of a process with the keys of its settings. Throws ConfigError if sealed texts of the database need
 * another key. With keys, it waits until the database answers.
 */
export async function startSealing(
  { dataKeys }: Pick<Config, 'dataKeys'>,
  db: Database,
  schema: Schema,
  log: Log,
): Promise<Sealing> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const sealing = await openSealing(dataKeys, db, schema)
      if (sealing.keyId !== dataKeys?.[0].id)
        log.warn(`DATA_KEYS begins with a key that was retired: the key ${sealing.keyId} seals`)
      return sealing
    } catch (error) {
      if (error instanceof ConfigError) throw error
      // As without this check, such a process starts while its database is away.
      if (dataKeys === undefined) return noSealing
      if (isNotMigrated(error)) throw new OldDatabase()
      if (isFirst && error instanceof NoKeyYet) log.warn(error.message)
      else if (isFirst)
        log.warn({ error: safeError(error) }, 'DATA_KEYS cannot be compared with the database: waiting for it')
      await sleep(pauseMs)
    }
  }
}

/** As `startSealing`, but throws if the database does not answer. */
export async function openSealing(dataKeys: Config['dataKeys'], db: Database, schema: Schema): Promise<Sealing> {
  try {
    const fingerprintKey = await registerKeys(dataKeys, db, schema)
    if (dataKeys === undefined || fingerprintKey === undefined) return noSealing
    return createSealing(dataKeys, fingerprintKey, (subject) => {
      db.call(functions[schema].report, { subject }).catch(() => {})
    })
  } catch (error) {
    const [, second, ...others] = dataKeys ?? []
    if (openKeys(error).length === 0 || second === undefined) throw error
    return await openSealing([second, ...others], db, schema)
  }
}

/** Registers the first key that is not closed, and returns the fingerprint key, which all processes share. */
async function registerKeys(keys: DataKeys | undefined, db: Database, schema: Schema): Promise<string | undefined> {
  const none = { new_id: null, new_fingerprint_key: null, known_ids: [], proof: null }
  for (let known = await db.call(functions[schema].register, none); ; ) {
    const opened = known.map(({ key_id, fingerprint_key }) => openWith(keys, key_id, fingerprint_key))
    if (keys === undefined) return undefined
    const fingerprintKey = opened[0] ?? randomBytes(32).toString('base64')
    const [first] = keys
    if (known.some(({ key_id }) => key_id === first.id)) return fingerprintKey
    const registered = await db.call(functions[schema].register, {
      new_id: first.id,
      new_fingerprint_key: sealUnder(first, fingerprintKey, boundTo),
      known_ids: known.map(({ key_id }) => key_id),
      proof: createHmac('sha256', fingerprintKey).update(boundTo).digest('hex'),
    })
    if (registered.length === 0) throw new NoKeyYet()
    known = registered
  }
}

function openWith(keys: DataKeys | undefined, id: string, fingerprintKey: string): string {
  const key = keys?.find((one) => one.id === id)
  if (key === undefined) {
    throw new ConfigError(
      `DATA_KEYS lacks the key ${id}, which sealed data of this database (docs/operations/data-keys.md)`,
    )
  }
  const opened = openUnder(key, fingerprintKey, boundTo)
  if (opened === undefined) {
    throw new ConfigError(`DATA_KEYS: the key ${id} is not the one that sealed data of this database`)
  }
  return opened
}

/**
 * The secret that signs the events of an account, which is named by its number, its name or one of its api keys; null
 * before its first delivery. Operators' log records each call.
 */
export async function webhookSecretOf(
  db: Database,
  dataKeys: Config['dataKeys'],
  account: string,
): Promise<string | null> {
  const [stored] = await db.call('ops.stored_webhook_secret', { account })
  if (stored === undefined || !isSealed(stored.secret)) return stored?.secret ?? null
  const secret = openWithAny(dataKeys ?? [], stored.secret, owners.account(stored.account_id))
  if (secret !== undefined) return secret
  throw new ConfigError(`DATA_KEYS has no key that opens the secret of account ${stored.account_id}`)
}

/** The items that have a code, as `ops.find_code` returns them; where codes are sealed, by its fingerprint. */
export async function findCode(db: Database, dataKeys: Config['dataKeys'], code: string) {
  const known = await db.call('ops.fingerprint_keys')
  // It is the same under each key.
  const row = known.find(({ key_id }) => dataKeys?.some(({ id }) => id === key_id)) ?? known[0]
  const sealing =
    row === undefined ? noSealing : createSealing(dataKeys ?? [], openWith(dataKeys, row.key_id, row.fingerprint_key))
  return db.call('ops.find_code', { code: sealing.sealCode(code.trim(), 'none') })
}
