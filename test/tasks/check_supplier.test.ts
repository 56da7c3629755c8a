import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { refusals } from '../support/operator.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
let service: WholeService
beforeAll(async () => {
  service = await startWholeService(database)
})
afterAll(() => service.close())

/** Asks for a check as an operator does, again until there is an answer. */
async function check(code: string) {
  await database.sql`update supply.supplier_checks set read_at = '2026-01-01'`
  const ask = async () => (await database.sql`select * from ops.check_supplier(${code})`)[0]
  expect(await ask()).toMatchObject({ supplier: code, answer: 'no answer yet', took_ms: null })
  await expect.poll(async () => (await ask())?.took_ms).not.toBeNull()
  return ask()
}

test('a check asks the supplier for an order that was never placed, and says whether it answers as it should', async () => {
  service.supplier.on('*', { get: { status: 404, json: {} } })
  expect(await check('first')).toMatchObject({ answer: 'it works' })
  const asked = service.supplier.requests
  expect(asked.map(({ method }) => method)).toEqual(['GET'])
  // The answer is shown again for a while, and nothing more is asked.
  expect(await database.sql`select answer from ops.check_supplier('first')`).toEqual([{ answer: 'it works' }])
  expect(asked).toHaveLength(1)

  // An answer that nobody read is kept, however old it is; a change of the supplier makes it worthless.
  await database.sql`update supply.suppliers set updated_at = '2020-01-01' where code = 'first'`
  const before = await database.sql`
    update supply.supplier_checks set read_at = null, asked_at = '2020-01-02', answered_at = '2020-01-02' returning id`
  expect(await database.sql`select answer from ops.check_supplier('first')`).toEqual([{ answer: 'it works' }])
  expect(await database.sql`select id from supply.supplier_checks`).toEqual(before)

  service.supplier.on('*', { get: { status: 401, json: {} } })
  expect(await check('first')).toMatchObject({ answer: 'it does not work', detail: 'unknown: HTTP 401' })
  await expect(database.sql`select ops.check_supplier('nobody')`).rejects.toMatchObject(refusals.unknown)
})
