import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asOperator } from '../../src/commands/connections.ts'
import { webhookSecretOf } from '../../src/commands/sealing.ts'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { newFolder, stopAndRemove } from '../embedded_postgres/support.ts'
import { dataKeysOf } from '../support/data_keys.ts'
import { products } from '../support/partner.ts'
import { fillWithMigrations } from '../support/servers/migrated_cluster.ts'
import type { SupplierAnswer } from '../support/servers/scripted_supplier.ts'
import { signedPush } from '../support/signed.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

const folder = newFolder()
const dataKeys = dataKeysOf('k1')
let server: EmbeddedPostgres
let sql: postgres.Sql
let service: WholeService

/** A server whose log holds every statement with its parameters. */
beforeAll(async () => {
  await fillWithMigrations(folder)
  server = await startPostgres({ dataDir: folder, durable: false, database: 'supply' })
  sql = postgres(server.url, { max: 5, onnotice: () => {} })
  for (const setting of ["log_statement = 'all'", 'log_parameter_max_length = -1', 'log_min_duration_statement = 0'])
    await sql.unsafe(`alter system set ${setting}`)
  await sql`select pg_reload_conf()`
  const database = { url: server.url, name: 'supply', sql, drop: async () => {} }
  service = await startWholeService(database, { dataKeys })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await stopAndRemove(server, folder)
})

/** The names of the tables whose rows hold one of the texts. */
async function tablesWith(texts: string[]): Promise<string[]> {
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace::regnamespace::text in ('supply', 'graphile_worker', 'migrations')`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = (await sql.unsafe(`select t::text as row from ${name} t`)).map(({ row }) => row).join('\n')
    if (texts.some((text) => rows.includes(text))) found.push(name)
  }
  expect(tables.length).toBeGreaterThan(40)
  return found
}

/** The files under a folder that hold one of the texts. The server may remove a file while this reads the others. */
function filesWith(texts: string[], root = server.dataDir): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => {
    const path = join(root, file)
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    try {
      const bytes = readFileSync(path)
      return texts.some((text) => bytes.includes(text))
    } catch (error) {
      if (existsSync(path)) throw error
      return false
    }
  })
}

/** Pushes a result as the supplier does. */
async function push(result: object): Promise<void> {
  const body = JSON.stringify(result)
  const headers = signedPush(body, service.supplier.token)
  expect((await service.api.post('/suppliers/first/results', { body, headers })).status).toBe(204)
}

test('no code, secret or token stands readable in a table, in the server log, or in any file of the server', async () => {
  const partner = await service.partner({ balance: 100_000 })
  const receiver = await service.receiver(partner)
  const says = (json: object): SupplierAnswer => ({ status: 200, json })
  async function buy(answer: SupplierAnswer, quantity = 2) {
    service.supplier.setAnswer(() => answer)
    const items = [{ productId: products.key, quantity }]
    const { code, items: placed } = await service.order(partner, { items, callbackUrl: receiver.url })
    return { code, item: placed[0]?.id ?? '' }
  }
  // The worker asks again after a second.
  const attempted = (item: string, times = 1) => {
    const ended = () => sql`select from supply.supplier_attempts where item_id = ${item} and finished_at is not null`
    return expect.poll(async () => (await ended()).length).toBeGreaterThanOrEqual(times)
  }

  // Whole, in part, with a reason that repeats a code.
  const whole = await buy(says({ status: 'completed', codes: ['SENTINEL-1', 'SENTINEL-2'] }))
  await service.final(partner, whole.code)
  const card = { code: 'SENTINEL-10', pin: 'SENTINEL-PIN', serial: 'SENTINEL-SERIAL', url: 'https://x/SENTINEL-URL' }
  const carded = await buy(says({ status: 'completed', codes: [card], supplierOrderId: card.pin, reason: card.url }), 1)
  await service.final(partner, carded.code)
  const part = await buy(says({ status: 'failed', codes: ['SENTINEL-3'], reason: 'Только SENTINEL-3' }))
  await service.final(partner, part.code)
  // Repeated in each other text of the answer, of one whose codes are ignored, and of one without codes.
  const repeats = (code: string) => ({ supplierOrderId: code, errorCode: `NO_${code}`, reason: `Код ${code} выдан.` })
  for (const status of ['completed', 'failed', 'processing']) {
    const { item } = await buy(says({ status, codes: [`SENTINEL-${status}`], ...repeats(`SENTINEL-${status}`) }), 1)
    await attempted(item)
  }
  // Repeated by a later answer: a code that came before the end, and one of an answer that made no sense.
  for (const answer of [
    says({ status: 'processing', codes: ['SENTINEL-11'] }),
    says({ status: 7, codes: ['SENTINEL-11'] }),
  ]) {
    const { code, item } = await buy(answer, 1)
    await attempted(item)
    service.supplier.on(item, () => says({ status: 'failed', ...repeats('SENTINEL-11') }))
    await service.final(partner, code)
  }
  const said = await buy(says({ status: 'failed', reason: 'Выдан SENTINEL-1X' }))
  await service.final(partner, said.code)
  // Too many, none that can be read, and one that is pushed, repeated and contradicted.
  const held = await buy(says({ status: 'completed', codes: ['SENTINEL-4', 'SENTINEL-5', 'SENTINEL-6'] }))
  await attempted(held.item)
  const unusable = await buy({ status: 200, text: '{"codes":["SENTINEL-7"]' })
  await attempted(unusable.item)
  const pushed = await buy(says({ status: 'processing' }), 1)
  await attempted(pushed.item)
  for (const code of ['SENTINEL-8', 'SENTINEL-8', 'SENTINEL-9'])
    await push({ reference: pushed.item, status: 'completed', codes: [code] })
  await service.final(partner, pushed.code)
  // Repeated by later answers that give no code: to a question about a held item, and pushed about ended ones.
  const asked = await buy(says({ status: 'completed', codes: [card] }))
  await attempted(asked.item)
  service.supplier.on(asked.item, () => says({ status: 'processing', ...repeats(card.code), reason: card.pin }))
  await sql`select ops.poll_now(${asked.item})`
  await attempted(asked.item, 2)
  await push({ reference: pushed.item, status: 'failed', ...repeats('SENTINEL-8') })
  await push({ reference: pushed.item, status: 'failed', supplierOrderId: 'SENTINEL-9' })
  await push({ reference: carded.item, status: 'failed', errorCode: card.pin, reason: card.url })

  // What operators type passes through the log and the WAL, and is gone from the tables.
  await sql`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'TYPED-1', push_secret => 'TYPED-2')`
  await expect.poll(() => tablesWith(['TYPED-'])).toEqual([])
  await sql`select ops.settle_item(${held.item}, 'completed', array['TYPED-3', 'TYPED-4'], reason => 'a test')`
  await expect.poll(() => tablesWith(['TYPED-'])).toEqual([])

  // Codes of our own, loaded and in an import that is applied later, with a part.
  await sql`select ops.upsert_supplier('vault', protocol => 'stock')`
  await sql`select ops.upsert_offer(${products.key}, 'vault', 'v-1', 1, 1)`
  await sql`select ops.load_codes('vault', 'v-1', array['TYPED-5'])`
  await sql`insert into ops.import_codes (supplier, sku, code, pin) values ('vault', 'v-1', 'TYPED-6', 'TYPED-PIN')`
  await expect.poll(() => tablesWith(['TYPED-'])).toEqual([])
  await sql`select ops.apply_import()`
  const own = await buy('hang')
  await service.final(partner, own.code)
  expect(await tablesWith(['TYPED-'])).toEqual([])

  const bodies = () => JSON.stringify(receiver.received.map(({ event }) => event))
  for (const code of [
    'SENTINEL-1',
    'SENTINEL-2',
    'SENTINEL-completed',
    'SENTINEL-8',
    'SENTINEL-PIN',
    'TYPED-3',
    'TYPED-4',
  ])
    await expect.poll(bodies).toContain(`"${code}"`)
  const secret = await asOperator(server.url, (db) => webhookSecretOf(db, dataKeys, String(partner.accountId)))
  const sentinels = ['SENTINEL-', secret ?? '']
  expect(sentinels[1]).toMatch(/^[0-9a-f]{64}$/)

  const { records } = service.api
  for (const text of [JSON.stringify(records), JSON.stringify(service.worker.records)])
    expect(sentinels.filter((sentinel) => text.includes(sentinel))).toEqual([])
  await service.close()
  expect(await tablesWith(sentinels)).toEqual([])
  // The searches find what is there.
  expect(await tablesWith(['sealed:k1:'])).toContain('supply.item_keys')
  await sql`checkpoint`
  expect(filesWith(['TYPED-3']).sort()).toEqual(expect.arrayContaining(['postgres.log']))
  expect(filesWith(['TYPED-3']).some((file) => file.includes('pg_wal/'))).toBe(true)
  expect(filesWith(sentinels)).toEqual([])
})
