import { expect, test } from 'vitest'
import { itemTests } from '../support/item_tests.ts'
import { answer, completed } from '../support/items.ts'
import { hasWarehousePrograms, makeWarehouse } from '../support/warehouse.ts'

const { database, sql, order, partner } = itemTests()

test.skipIf(!hasWarehousePrograms)(
  'the warehouse of export.md has each row once, also of a transaction that commits late, and after a failover',
  async () => {
    const { readOn, compare } = await makeWarehouse(sql(), { source: database.url, target: database.url })
    const first = await order()
    await answer(sql(), first.item, completed())
    const late = await sql().reserve()
    await late`begin`
    await late`select ops.deposit(${partner().accountId}, 7, 'late')`
    // It ends an idle transaction after 5 s, and the program may need longer on a busy machine.
    await late`set local idle_in_transaction_session_timeout = 0`
    await readOn()
    await late`commit`
    late.release()
    const second = await order()
    await answer(sql(), second.item, completed())
    expect((await compare()).every(({ differ }) => differ > 0)).toBe(true)
    await readOn()
    const copied = await compare()
    expect(copied).toEqual([
      { view: 'ledger', rows: expect.any(Number), differ: 0 },
      { view: 'results', rows: 2, differ: 0 },
    ])
    expect(copied[0]?.rows).toBeGreaterThan(3)

    // A failover took back the last row of the warehouse, and its number now belongs to another one.
    await sql()`update warehouse.ledger set amount = 1, order_code = null where seq = (select max(seq) from warehouse.ledger)`
    expect((await compare())[0]?.differ).toBeGreaterThan(0)
    await readOn()
    expect(await compare()).toEqual(copied)

    // It took back one that has no successor yet.
    await sql()`insert into warehouse.ledger
      select (jsonb_populate_record(l, '{"seq": 1000}')).* from warehouse.ledger l order by seq desc limit 1`
    expect((await compare())[0]?.differ).toBe(1)
    await readOn()
    await readOn()
    expect(await compare()).toEqual(copied)
  },
)
