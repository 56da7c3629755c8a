import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import catalog from '../../db/seed/demo.json' with { type: 'json' }
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { writeSecretFile } from '../embedded_postgres/data.ts'
import { asOperator } from './connections.ts'
import { webhookSecretOf } from './sealing.ts'

/** Where `npm start` keeps what has to outlive it: `DATA_DIR`, or `.data` in the checkout. */
export const dataDir = resolve(process.env.DATA_DIR || join(import.meta.dirname, '../../.data'))

const keyFile = join(dataDir, 'demo-key')
const secretFile = join(dataDir, 'demo-webhook-secret')
const docsPasswordFile = join(dataDir, 'demo-docs-password')

/** The demo partner's api key of the last start; undefined before the first. */
export function knownDemoKey(): string | undefined {
  return existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : undefined
}

/**
 * Loads the demo catalog at the first start; later starts only set the address of its simulated suppliers. Returns a
 * working api key of the demo partner. A file that only its owner can read keeps it for the next start; so does another
 * with the secret that signs the partner's webhooks.
 */
export async function loadDemo(
  databaseUrl: string,
  supplier: { url: string; token: string },
  dataKeys: Config['dataKeys'],
): Promise<string> {
  const { url: base_url, token } = supplier
  const suppliers = catalog.suppliers.map((known) =>
    known.protocol === 'stock' ? known : { ...known, base_url, token },
  )
  const { apiKey, secret } = await asOperator(databaseUrl, async (db) => {
    const isFirst = await db.call('ops.load_demo', { catalog: { ...catalog, suppliers } })
    if (isFirst) await db.call('ops.load_codes', { ...demoStock(), cost: null, batch: 'demo' })
    return demoCredentials(db, dataKeys)
  })
  mkdirSync(dataDir, { recursive: true })
  writeSecretFile(keyFile, apiKey)
  writeSecretFile(secretFile, secret)
  return apiKey
}

/** Codes of our own for the product of the catalog that is sold from stock. */
function demoStock() {
  const { supplier, sku } = catalog.offers.find((offer) => offer.supplier === 'demo-vault') ?? { supplier: '', sku: '' }
  const code = () =>
    randomBytes(6)
      .toString('hex')
      .toUpperCase()
      .replace(/.{4}(?=.)/g, '$&-')
  return { supplier, sku, codes: Array.from({ length: 200 }, code) }
}

/** A working api key of the demo partner, which is made if it is missing, and the secret that signs its webhooks. */
export async function demoCredentials(db: Database, dataKeys: Config['dataKeys']) {
  const apiKey = await db.call('ops.ensure_demo_key', { known: knownDemoKey() ?? null })
  if (apiKey === null) throw new Error('the demo partner has no key')
  const secret = await webhookSecretOf(db, dataKeys, apiKey)
  if (secret === null) throw new Error('the demo partner has no secret')
  return { apiKey, secret }
}

/** The password of the partner guide in the demo, the same at each start. */
export function demoDocsPassword(): string {
  if (!existsSync(docsPasswordFile)) {
    mkdirSync(dataDir, { recursive: true })
    writeSecretFile(docsPasswordFile, randomBytes(6).toString('hex'))
  }
  return readFileSync(docsPasswordFile, 'utf8').trim()
}

/** How to place a first order with the demo partner's api key, for a terminal. */
export function demoGreeting(url: string, apiKey: string, docsPassword?: string): string {
  return `The demo partner's key is ${apiKey}. Place an order:

  curl -s ${url}/b2b/orders -H 'X-Api-Key: ${apiKey}' -H 'Content-Type: application/json' \\
    -d '{"externalOrderId":"first-'$(date +%s)'","items":[{"productId":101,"deliveryData":{"gameUserId":"123456789"}}]}'

and read it with

  curl -s ${url}/b2b/orders/CODE -H 'X-Api-Key: ${apiKey}'

Its webhooks are signed with the secret in ${secretFile}.
The first supplier of product 112 has none left, so that the second one delivers: npm run demo shows how.
Product 114 is sold from our own stock of codes: select * from ops.stock;
Every endpoint, field and error: ${url}/reference?key=${apiKey}
The partner guide: ${
    docsPassword === undefined
      ? `docs/guide, served at ${url}/docs where DOCS_PASSWORD is set.`
      : `${url}/docs, any user name, password ${docsPassword}`
  }`
}
