import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { debianPostgresWith, migrateOldServer, startDebianPostgres } from '../support/sql/debian_postgres.ts'

// PostgreSQL checks a statement of a PL/pgSQL function only when it runs; this extension checks all of them. Debian has it for
// its own PostgreSQL, the embedded one cannot load it.
const installation = debianPostgresWith('plpgsql_check')
const required = process.env.REQUIRE_PLPGSQL_CHECK === '1'
if (installation === undefined && !required) {
  console.info('no PostgreSQL of Debian with plpgsql_check on this machine, hence not run: plpgsql_check')
}

/** What it says that is meant to be so. */
const meant = [
  // They lock rows.
  'core.lock_results: routine is marked as VOLATILE, should be STABLE',
  'core.lock_to_erase: routine is marked as VOLATILE, should be STABLE',
  // Operators write "limit" => 5.
  'ops.partner_orders: name of parameter "limit" is reserved keyword, The reserved keyword was used as parameter name.',
]

let client: pg.Client
let stop: () => Promise<void> = async () => {}

async function load(databaseUrl: string): Promise<void> {
  await migrateOldServer(client, databaseUrl)
  await client.query('create extension plpgsql_check')
}

/** What the extension says of all functions, but for casts: `{}` for an array, and int for bigint, are meant. */
async function findings(): Promise<string[]> {
  const { rows } = await client.query<{ finding: string }>(`
    select format('%s.%s: %s', p.pronamespace::regnamespace, p.proname,
      concat_ws(', ', f.message, f.detail, 'item ' || f.lineno)) as finding
    from pg_proc p
    left join lateral (select min(t.tgrelid::oid) as relid from pg_trigger t where t.tgfoid = p.oid) as triggered on true
    cross join lateral plpgsql_check_function_tb(p.oid, coalesce(triggered.relid, 0), fatal_errors => false, other_warnings => true,
      performance_warnings => true, extra_warnings => true, security_warnings => true) f
    where p.pronamespace = any (array['api', 'core', 'ops', 'work']::regnamespace[])
      and p.prolang = (select oid from pg_language where lanname = 'plpgsql')
      and not (f.sqlstate = '42804' and f.level <> 'error')
    order by 1`)
  return rows.map(({ finding }) => finding)
}

describe.skipIf(installation === undefined && !required)('plpgsql_check', () => {
  beforeAll(async () => {
    if (installation === undefined) {
      throw new Error('REQUIRE_PLPGSQL_CHECK=1, but no PostgreSQL of Debian has plpgsql_check')
    }
    const server = await startDebianPostgres(installation)
    stop = server.stop
    client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await load(server.url)
  })
  afterAll(async () => {
    await client?.end()
    await stop()
  })

  test('finds nothing in the functions', async () => {
    expect(await findings()).toEqual(meant)
  })

  test('would find a column that does not exist, and a variable that nobody reads, where no test comes by', async () => {
    await client.query(`
      begin;
      create function core.faulty(amount int) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
      declare
        forgotten int;
      begin
        if amount < 0 then
          update supply.accounts a set ballance = 0 where a.id = amount;
        end if;
      end
      $$`)
    try {
      const found = (await findings()).filter((finding) => finding.startsWith('core.faulty'))
      expect(found.join('\n')).toContain('column "ballance" of relation "accounts" does not exist')
      expect(found.join('\n')).toContain('unused variable "forgotten"')
    } finally {
      await client.query('rollback')
    }
  })
})
