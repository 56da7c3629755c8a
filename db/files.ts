import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The schemas that hold only code, in the order in which their files are first tried. */
export const codeSchemas = ['core', 'work', 'api', 'ops'] as const

/** A migration: its name is the file's without `.sql`, its checksum the SHA-256 of its text in hex. */
export type MigrationFile = { name: string; checksum: string }

/** A function or view: the file `functions/<schema>/<name>.sql` defines exactly `<schema>.<name>`. */
export type CodeFile = { schema: string; name: string; path: string; sql: string }

/** Where the SQL files lie; both default to the folders beside this file. */
export type SqlFolders = { migrationsDir?: string | undefined; functionsDir?: string | undefined }

/** What a database that is up to date must show: the last migration's name and the checksum of the code files. */
export type Version = { migration: string; checksum: string }

export const defaultMigrationsDir = join(import.meta.dirname, 'migrations')
export const defaultFunctionsDir = join(import.meta.dirname, 'functions')

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
  return names.map((name) => ({
    name: name.slice(0, -'.sql'.length),
    checksum: sha256(readText(join(dir, name))),
  }))
}

/** The files of the code schemas, sorted by schema and name; a schema without a folder has none. */
export function readCode(dir: string = defaultFunctionsDir): CodeFile[] {
  return codeSchemas.flatMap((schema) =>
    sqlFiles(join(dir, schema)).map((name) => {
      const path = join(dir, schema, name)
      return { schema, name: name.slice(0, -'.sql'.length), path, sql: readText(path) }
    }),
  )
}

/** SHA-256 in hex over the names and texts of the code files. */
export function codeChecksum(files: CodeFile[]): string {
  return sha256(JSON.stringify(files.map(({ schema, name, sql }) => [schema, name, sql])))
}

/** What `/readyz` compares the database's answer with. Computed from the files, so call it once at the start. */
export function expectedVersion(folders: SqlFolders = {}): Version {
  const migration = readMigrations(folders.migrationsDir).at(-1)
  if (migration === undefined) throw new Error('there are no migrations')
  return { migration: migration.name, checksum: codeChecksum(readCode(folders.functionsDir)) }
}

function sqlFiles(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.sql'))
      .sort()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

// A checkout with other line ends is the same program.
function readText(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
