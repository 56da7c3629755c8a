import { expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { databaseBefore } from './old_database.ts'

const database = databaseBefore('0025')

test('of the alerts of the release before, what is over is closed, and its end is not told', async () => {
  const { sql } = database()
  await sql`insert into supply.accounts (name, kind, mode, currency) values ('A', 'supply', 'test', 'RUB')`
  const [{ id: account } = { id: 0 }] = await sql`select id::int from supply.accounts`
  const [order] = await sql`
    insert into supply.orders (code, account_id, idempotency_key, external_order_id, request_items, total_amount, currency, payment_code)
    values ('x', ${account}, 'x', 'x', '[]', 1, 'RUB', 'x') returning id`
  await sql`
    insert into supply.events (account_id, order_id, order_code, event_type, callback_url, body, state, next_attempt_at, dead_at, dead_reason)
    values (${account}, ${order?.id}, 'x', 'order.completed', 'https://x.example', '{}', 'dead', null, now(), 'http_4xx')`
  const [standing, over, unsent] = ['http_4xx', 'http_3xx', 'invalid_url'].map(
    (reason) => `dead_letter:${reason}:account ${account}`,
  )
  for (const cause of [standing, over, 'item_stuck:a', 'item_held:a', 'contradicting_result:seen', 'other'])
    await sql`insert into supply.alerts (cause, hour, message, sent_at) values (${cause ?? ''}, now(), '', now())`
  await sql`insert into supply.alerts (cause, hour, message) values (${unsent ?? ''}, now(), '')`
  await sql`update supply.alerts set first_at = now() - interval '1 hour', acknowledged_at = case when cause ~ 'seen' then now() end,
    acknowledged_by = case when cause ~ 'seen' then 'x' end`

  await migrate({ databaseUrl: database().url })
  const alerts =
    await sql`select cause, state, since = first_at as dated, end_sent_at from ops.alerts order by cause`
  expect(alerts.every(({ dated }) => dated)).toBe(true)
  expect(alerts.filter(({ state }) => state === 'open').map(({ cause }) => cause)).toEqual([
    standing,
    unsent,
    'other',
  ])
  const closed = alerts.filter(({ state }) => state === 'closed')
  expect(closed.map(({ cause }) => cause)).toEqual(
    [over, 'contradicting_result:seen', 'item_held:a', 'item_stuck:a'].sort(),
  )
  expect(closed.every(({ end_sent_at: told }) => told !== null)).toBe(true)
})
