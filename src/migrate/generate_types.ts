import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../embedded_postgres/start.ts'
import { describeFunctions } from './describe_functions.ts'
import { migrate } from './migrate.ts'
import { renderTypes } from './render_types.ts'

const target = join(import.meta.dirname, '../database/functions.ts')

// Of the functions for operators, those that commands of the service call.
const calledOfOps = [
  ...['ops.ensure_demo_key', 'ops.find_code', 'ops.fingerprint_keys', 'ops.load_codes', 'ops.load_demo'],
  ...['ops.order_history', 'ops.order_story', 'ops.stored_webhook_secret'],
]

/**
 * The text of `src/database/functions.ts` for a migrated database: the arguments and results of the functions that the
 * service may call.
 */
export async function generateTypes(databaseUrl: string): Promise<string> {
  const { functions, types } = await describeFunctions(databaseUrl)
  const callable = functions.filter(({ name }) => !name.startsWith('ops.') || calledOfOps.includes(name))
  return renderTypes({ functions: callable, types })
}

// node src/migrate/generate_types.ts [--check]: writes the file, or exits with 1 if it does not match the database.
// The database is that of DATABASE_URL, already migrated, or a temporary one of the embedded server.
if (import.meta.main) {
  const text = process.env.DATABASE_URL ? await generateTypes(process.env.DATABASE_URL) : await fromScratch()
  if (!process.argv.includes('--check')) {
    writeFileSync(target, text)
  } else if (readFileSync(target, 'utf8') !== text) {
    console.error('src/database/functions.ts does not match the database: run node src/migrate/generate_types.ts')
    process.exitCode = 1
  }
}

async function fromScratch(): Promise<string> {
  const dataDir = join(tmpdir(), `supply-ordering-types-${randomUUID()}`)
  try {
    const server = await startPostgres({ dataDir, durable: false })
    try {
      await migrate({ databaseUrl: server.url })
      return await generateTypes(server.url)
    } finally {
      await server.stop()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}
