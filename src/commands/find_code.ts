import { loadConfig } from '../config.ts'
import { asOperator } from './connections.ts'
import { embeddedUrl } from './operator_login.ts'
import { findCode as findIn } from './sealing.ts'

/** `npm run find-code -- CODE`: prints the items that have a code, as `ops.find_code` does where codes are plain. */
export async function findCode([code = '']: string[]): Promise<void> {
  const { databaseDirectUrl, dataKeys } = loadConfig(process.env, { command: 'find-code' })
  const items = await asOperator(databaseDirectUrl ?? embeddedUrl(), (db) => findIn(db, dataKeys, code))
  if (items.length === 0) console.log('no item has this code, and no item had it')
  for (const item of items) {
    for (const [name, value] of Object.entries(item)) console.log(`${name.padEnd(18)}${shown(value)}`)
    console.log('')
  }
}

const shown = (value: unknown) => (value instanceof Date ? value.toISOString() : (value ?? '-'))
