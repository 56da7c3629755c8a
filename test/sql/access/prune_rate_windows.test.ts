import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const database = testDatabase()

test('windows that ended minutes ago are forgotten, and present ones are kept', async () => {
  const { sql } = database
  await sql`insert into supply.rate_windows (client, started_at, hits)
    select ('10.0.0.' || n)::cidr, now() - n * interval '1 minute', 1 from generate_series(0, 9) as n`
  await sql`select work.remove_old('rate windows', '5 minutes', true)`
  const left = await sql`select host(client) as client from supply.rate_windows order by client`
  expect(left.map(({ client }) => client)).toEqual([
    '10.0.0.0',
    '10.0.0.1',
    '10.0.0.2',
    '10.0.0.3',
    '10.0.0.4',
  ])
})
