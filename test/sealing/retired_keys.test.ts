import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import { reseal } from '../../src/commands/reseal.ts'
import { openSealing } from '../../src/commands/sealing.ts'
import { dataKeysOf, joined } from '../support/data_keys.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { codesOf, startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const [k1, k2] = [dataKeysOf('k1'), dataKeysOf('k2')]
/** A service that was not restarted with the new key in front. */
let service: WholeService
beforeAll(async () => {
  service = await startWholeService(database, { dataKeys: joined(k1, k2) })
})
afterAll(() => service.close())

async function resealWith(keys: typeof k1): Promise<string> {
  const db = connectWorker(database.url)
  try {
    return await reseal(db, await openSealing(keys, db, 'work'))
  } finally {
    await db.end()
  }
}

test('a process that sealed nothing meanwhile seals nothing more with a key that npm run reseal has retired', async () => {
  await expect(resealWith(joined(k2, k1))).resolves.toMatch(/DATA_KEYS needs no other key now/)
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.on('*', ({ reference }) => ({
    status: 200,
    json: { status: 'completed', codes: [`CODE-${reference}`] },
  }))
  const items = [{ productId: products.key }]
  const { code } = await service.order(partner, { items, callbackUrl: receiver.url })
  expect(codesOf(await service.final(partner, code))).toHaveLength(1)
  await receiver.waitFor(({ event }) => event?.data.orderCode === code, 45_000)
  expect(
    await database.sql`
    select code from supply.item_keys union all select unnest(codes) from supply.supplier_attempts
    union all select secret from supply.webhook_secrets`,
  ).toEqual(Array(3).fill({ code: expect.stringMatching(/^sealed:k2:/) }))
})
