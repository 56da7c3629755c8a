import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import catalog from '../../db/seed/demo.json' with { type: 'json' }
import { asOperator } from './connections.ts'

/** Where `npm start` keeps what has to outlive it. */
export const dataDir = resolve(import.meta.dirname, '../../.data')

const keyFile = join(dataDir, 'demo-key')

/** The demo partner's key of the last start; undefined before the first. */
export function knownDemoKey(): string | undefined {
  return existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : undefined
}

/**
 * Loads the demo catalog, its suppliers at the given address, and gives a working key of the demo partner, which is
 * kept for the next start in a file that only its owner can read.
 */
export async function loadDemo(
  databaseUrl: string,
  supplier: { url: string; token: string },
): Promise<string> {
  const codes = [...new Set(catalog.offers.map((offer) => offer.supplier))]
  const suppliers = codes.map((code) => ({ code, base_url: supplier.url, token: supplier.token }))
  const known = knownDemoKey() ?? null
  const key = await asOperator(databaseUrl, async (db) => {
    await db.call('ops.load_catalog', { catalog: { ...catalog, suppliers } })
    return db.call('ops.demo_key', { known })
  })
  if (key === null) throw new Error('the demo partner has no key')
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 })
  chmodSync(keyFile, 0o600)
  return key
}
