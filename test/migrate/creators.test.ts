import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

// Of roles that belong to the cluster, each test makes its own.
let database: TestDatabase
let eve: string
const made: string[] = []

beforeEach(async () => {
  database = await createTestDatabase()
  eve = await makeRole('eve')
})

afterEach(async () => {
  await database.drop()
  for (const role of made.splice(0)) await database.sql.unsafe(`drop role ${role}`).catch(() => {})
})

async function makeRole(name: string, inRole?: string): Promise<string> {
  const role = `${name}_${process.pid}_${randomBytes(4).toString('hex')}`
  await database.sql.unsafe(`create role ${role} ${inRole === undefined ? '' : `in role ${inRole}`}`)
  made.push(role)
  return role
}

const run = (databaseUrl = database.url) => migrate({ databaseUrl })

test('a login of ours that may create in a schema is refused, with the statement that takes the right away', async () => {
  await database.sql.unsafe(`create schema reports; grant create on schema reports to ${eve}`)
  await run()
  await database.sql.unsafe(`grant supply_operator to ${eve}`)
  await expect(run()).rejects.toThrow(
    new RegExp(`^${eve} may create in schema reports, .*: revoke create on schema reports from ${eve}$`),
  )
  await database.sql.unsafe(`revoke create on schema reports from ${eve}`)
  await run()
})

test('a login of ours that may take on another role that may create is refused', async () => {
  const builders = await makeRole('builders')
  await database.sql.unsafe(`
    create schema reports; grant create on schema reports to ${builders};
    grant supply_worker to ${eve} with inherit false; grant ${builders} to ${eve} with inherit false`)
  await expect(run()).rejects.toThrow(`revoke create on schema reports from ${builders}`)
})

test.each(['create', 'temporary'])(
  'a login of ours that has the right %s on the database is refused',
  async (right) => {
    await database.sql.unsafe(`grant supply_api to ${eve}; grant ${right} on database ${database.name} to ${eve}`)
    await expect(run()).rejects.toThrow(`: revoke ${right} on database ${database.name} from ${eve}`)
  },
)

test('a schema of a database that everybody may create in is refused', async () => {
  await database.sql.unsafe('grant create on schema public to public')
  await expect(run()).rejects.toThrow(
    /^everybody may create in schema public, .*: revoke create on schema public from public$/,
  )
})

test('a login of ours that owns a schema or the database is refused', async () => {
  await database.sql.unsafe(`grant supply_operator to ${eve}; create schema evening authorization ${eve}`)
  await expect(run()).rejects.toThrow('alter schema evening owner to current_user')
  await database.sql.unsafe(`drop schema evening; alter database ${database.name} owner to ${eve}`)
  await expect(run()).rejects.toThrow(`alter database ${database.name} owner to current_user`)
  await database.sql.unsafe(`alter database ${database.name} owner to current_user`)
})

test('a superuser and a login with the rights of supply_owner may create', async () => {
  await database.sql.unsafe(`
    grant supply_operator, supply_owner to ${eve}; grant create on schema public to ${eve}`)
  await run()
})
