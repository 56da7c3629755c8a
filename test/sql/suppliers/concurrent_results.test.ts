import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { completed, failed, leaseCalls, record } from '../../support/items.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, order, read, alertsOf, push } = itemTests({ audited: true })

test('a result that gets its locks after another one was committed finds the item final, and changes nothing', async () => {
  const { code, item } = await order()
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('the call is not due')
  // Stretches the moment in which the push has begun and has no locks yet.
  await sql()`alter function core.lock_results rename to lock_results_now`
  await sql()`
    create function core.lock_results(results supply.call_result[]) returns uuid[] language plpgsql as $$
    begin
      if results[1].method = 'push' then
        perform pg_advisory_xact_lock(1);
      end if;
      return core.lock_results_now(results);
    end
    $$`
  await whileHeld(
    sql(),
    (holder) => holder`select pg_advisory_xact_lock(1)`,
    () => push('first', item, failed()),
    async () => expect(await record(sql(), call, completed())).toBe('settled'),
  )
  expect(await read(code)).toMatchObject({ status: 'completed', outcome: 'full', items: [{ status: 'completed' }] })
  expect(await alertsOf('contradicting_result:first')).toBe(1)
})
