import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import type postgres from 'postgres'
import { migrate } from '../../src/migrate/migrate.ts'
import { readCode, readMigrations } from '../../src/migrate/sql_files.ts'
import { parseDataKeys } from '../../src/sealing/data_keys.ts'
import type { Partner } from '../support/partner.ts'
import { unchecked } from '../support/sql/transactions.ts'

/** What the dumped database is asked about after its upgrade. */
export type Known = {
  partner: Partner
  /** A completed order whose codes are sealed, and these. */
  sealed: { code: string; codes: string[] }
  /** A delivered item that nobody refunded. */
  refundable: string
  deadEvent: string
  closedMonth: string
}

/**
 * A database of a release: the names of its migrations, which are frozen, its functions as they were, and its rows as
 * JSON. So every PostgreSQL that the service supports can restore it.
 */
type Dump = {
  release: string
  known: Known
  migrations: string[]
  functions: [path: string, sql: string][]
  tables: [name: string, rows: string][]
}

/** With which the codes, secrets and tokens of the dump are sealed. It guards nothing. */
const dataKeysText = `dump:${Buffer.alloc(32, 'dump').toString('base64')}`
export const dataKeys = parseDataKeys(dataKeysText)

const root = join(import.meta.dirname, '../..')
export const pathOf = (release: string) => join(import.meta.dirname, `${release}.json.br`)

// They explain, and are a fifth of the dump.
const comments = /^comment on [^;]*?'(?:[^']|'')*';$/gm

// What migrations fill themselves, by names and checksums, is not part of a dump.
const tablesQuery = `
  select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and c.oid <> 'supply.code_version'::regclass and (c.relnamespace = 'supply'::regnamespace
    or c.oid in ('graphile_worker._private_jobs'::regclass, 'graphile_worker._private_tasks'::regclass,
      'graphile_worker._private_job_queues'::regclass, 'graphile_worker._private_known_crontabs'::regclass))
  group by c.oid order by 1`

/** Writes the dump of a database that nobody uses. Returns its bytes. */
export async function writeDump(sql: postgres.Sql, release: string, known: Known): Promise<number> {
  const tables: Dump['tables'] = []
  for (const { name, columns } of await sql.unsafe<{ name: string; columns: string }[]>(tablesQuery)) {
    const [found] = await sql.unsafe(`select json_agg(t)::text as rows from (select ${columns} from ${name}) as t`)
    if (found?.rows != null) tables.push([name, found.rows])
  }
  const dump: Dump = {
    ...{ release, known, tables, migrations: readMigrations().map(({ name }) => name) },
    functions: readCode().map(({ path, sql: text }) => [path.slice(root.length), text.replace(comments, '')]),
  }
  const text = JSON.stringify(dump)
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
  const bytes = brotliCompressSync(text, { params })
  writeFileSync(pathOf(release), bytes)
  return bytes.length
}

/** Makes an empty database the one of the dump: its migrations, functions and rows. */
export async function restoreDump(sql: postgres.Sql, databaseUrl: string, release: string): Promise<Known> {
  const dump: Dump = JSON.parse(brotliDecompressSync(readFileSync(pathOf(release))).toString())
  const folder = mkdtempSync(join(tmpdir(), 'supply-ordering-release-'))
  try {
    for (const [path, text] of dump.functions) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    for (const name of dump.migrations) {
      cpSync(join(root, `db/migrations/${name}.sql`), join(folder, `db/migrations/${name}.sql`))
    }
    const [migrationsDir, functionsDir] = [join(folder, 'db/migrations'), join(folder, 'db/functions')]
    await migrate({ databaseUrl, migrationsDir, functionsDir })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  await unchecked(sql, async (tx) => {
    // What migrations inserted stands in the dump, too.
    for (const { name } of await tx.unsafe(tablesQuery)) await tx.unsafe(`delete from ${name}`)
    for (const [name, rows] of dump.tables) {
      const columns = Object.keys(JSON.parse(rows)[0]).map((column) => `"${column}"`)
      await tx.unsafe(
        `insert into ${name} (${columns}) overriding system value
         select ${columns} from json_populate_recordset(null::${name}, $1::text::json)`,
        [rows],
      )
    }
    await tx.unsafe(sequences)
    await tx`update supply.code_version set release = ${dump.release}`
  })
  return dump.known
}

/** Lets each sequence go on after the numbers that the rows have. */
const sequences = `
  do $$
  declare
    owned record;
  begin
    for owned in
      select d.objid::regclass as sequence, d.refobjid::regclass as owner, a.attname as name
      from pg_depend d
      join pg_class c on c.oid = d.objid and c.relkind = 'S'
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace) and d.deptype in ('a', 'i')
    loop
      execute format('select setval(%L, max(%I)) from %s having max(%2$I) is not null', owned.sequence, owned.name,
        owned.owner);
    end loop;
  end $$`
