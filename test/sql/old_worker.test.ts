import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { makeEvent } from '../support/events.ts'
import { makeCatalog, makePartner } from '../support/partner.ts'

// A migration comes before the workers of its release: until then those of the one before go on.
const database = testDatabase()
beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))

test('a worker of the release before may claim deliveries as it did', async () => {
  const event = await makeEvent(database.sql, await makePartner(database.sql))
  const claimed = await database.sql`
    select * from work.begin_deliveries(event_ids => ${[event]}, account_cap => 8)`
  expect(claimed).toHaveLength(1)
})
