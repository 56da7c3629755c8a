import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { completed, failed, leaseCalls, record } from '../../support/items.ts'
import { products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, partner, order, read, alertsOf, push } = itemTests({ audited: true })

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

test('a result of an order whose other item failed a moment ago is busy while the account is locked', async () => {
  const productIds = [{ productId: products.topUp }, { productId: products.topUp }]
  const { items } = await order({ items: productIds })
  const [one, other] = await leaseCalls(sql(), items)
  if (one === undefined || other === undefined) throw new Error('the calls are not due')
  // Stretches the moment between the snapshot of the statement that locks the order and its lock.
  await sql()`
    create function core.wait_for_test() returns boolean language plpgsql as $$
    begin
      if current_setting('test.waits', true) = 'on' then
        perform pg_advisory_xact_lock(1);
      end if;
      return true;
    end
    $$`
  await sql()`create policy wait_for_test on supply.orders using (core.wait_for_test())`
  await sql()`alter table supply.orders enable row level security, force row level security`
  const [late, holder] = [await sql().reserve(), await sql().reserve()]
  try {
    await late`select set_config('test.waits', 'on', false), set_config('lock_timeout', '5s', false)`
    const verdict = await whileHeld(
      sql(),
      (first) => first`select pg_advisory_xact_lock(1)`,
      () => record(late, other, completed()),
      async () => {
        expect(await record(sql(), one, failed())).toBe('settled')
        await holder`begin`
        await holder`select from supply.accounts where id = ${partner().accountId} for no key update`
      },
    )
    expect(verdict).toBe('busy')
    await holder`rollback`
    expect(await record(late, other, completed())).toBe('settled')
  } finally {
    await holder`rollback`
    holder.release()
    late.release()
    await sql()`alter table supply.orders disable row level security, no force row level security`
  }
})
