import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeEvent } from '../../support/events.ts'
import { makeCatalog, makePartner } from '../../support/partner.ts'

// A migration comes before the workers of its release: until then those of the one before go on.
const database = testDatabase()
beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))

test('a worker of the release before may claim deliveries as it did', async () => {
  const event = await makeEvent(database.sql, await makePartner(database.sql))
  const claimed = await database.sql`
    select * from work.begin_deliveries(event_ids => ${[event]}, account_cap => 8)`
  expect(claimed).toHaveLength(1)
})

test('a worker of the release before has free slots filled every second', async () => {
  const event = await makeEvent(database.sql, await makePartner(database.sql))
  await database.sql`update supply.events set state = 'queued', claim_expires_at = null where id = ${event}`
  await database.sql`select work.call_lines()`
  expect(await database.sql`select state from supply.events where id = ${event}`).toEqual([
    { state: 'ready' },
  ])
})
