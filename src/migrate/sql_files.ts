import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Version } from '../database/version.ts'
import { release } from '../release.ts'

/** The schemas that hold only code, in the order in which their files are first tried. */
export const codeSchemas = ['core', 'work', 'api', 'ops', 'bi'] as const

/** A migration: its name is the file's without `.sql`, its checksum the SHA-256 of its text in hex. */
export type MigrationFile = { name: string; checksum: string }

/**
 * A function or view: `<name>.sql`, in a folder of the schema or below it, defines exactly `<schema>.<name>`. In `ops`
 * it may define the function twice: by an id, and by a reference as people have it (text).
 */
export type CodeFile = { schema: string; name: string; path: string; sql: string; checksum: string }

/** The folders of the SQL files. The defaults are those of this checkout. */
export type SqlFolders = { migrationsDir?: string | undefined; functionsDir?: string | undefined }

export const defaultMigrationsDir = join(import.meta.dirname, '../../db/migrations')
const defaultFunctionsDir = join(import.meta.dirname, '../../db/functions')

/**
 * The migrations of a folder in their order.
 * Throws if a name is not `NNNN_name.sql` or a number is taken twice.
 */
export function readMigrations(dir: string = defaultMigrationsDir): MigrationFile[] {
  const names = readdirSync(dir)
    .filter((name) => !name.startsWith('.'))
    .sort()
  for (const [index, name] of names.entries()) {
    if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) {
      throw new Error(`${name} is no migration: the name must be NNNN_name.sql`)
    }
    const previous = names[index - 1]
    if (previous?.slice(0, 4) === name.slice(0, 4)) {
      throw new Error(`migrations ${previous} and ${name} have the same number`)
    }
  }
  return names.map((name) => ({ name: name.slice(0, -'.sql'.length), checksum: sha256(readText(join(dir, name))) }))
}

/**
 * The files of the code schemas, sorted by schema and name; a schema without a folder has none. The folders below a
 * schema's only sort its files. Throws if two files of a schema have the same name.
 */
export function readCode(dir: string = defaultFunctionsDir): CodeFile[] {
  return codeSchemas.flatMap((schema) =>
    sqlFiles(join(dir, schema)).map((path) => {
      const sql = readText(path)
      return { schema, name: basename(path, '.sql'), path, sql, checksum: sha256(sql) }
    }),
  )
}

/** SHA-256 in hex over the names and texts of the code files. */
export function codeChecksum(files: CodeFile[]): string {
  return sha256(JSON.stringify(files.map(({ schema, name, checksum }) => [schema, name, checksum])))
}

/** What `/readyz` compares the database's answer with. Computed from the files, so call it once at the start. */
export function expectedVersion(folders: SqlFolders = {}): Version {
  const migration = readMigrations(folders.migrationsDir).at(-1)
  if (migration === undefined) throw new Error('there are no migrations')
  return { migration: migration.name, checksum: codeChecksum(readCode(folders.functionsDir)), release }
}

function sqlFiles(dir: string): string[] {
  if (!existsSync(dir)) return []
  const paths = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.sql'))
    .map((path) => join(dir, path))
    .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))
  const twice = paths.find((path, index) => basename(path) === basename(paths[index - 1] ?? ''))
  if (twice !== undefined) throw new Error(`two files below ${dir} are called ${basename(twice)}`)
  return paths
}

// A checkout with other line endings is the same program.
function readText(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
