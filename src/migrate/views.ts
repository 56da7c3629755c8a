import pg from 'pg'
import { type CodeObject, withDependents } from './code_objects.ts'
import type { Retry } from './retries.ts'
import type { CodeFile } from './sql_files.ts'

const head = /create or replace view (\w+\.\w+)/i
const scratch = 'core.view_being_compared'

/** Whether a view is as its file says, by what PostgreSQL made of both. Gives it the file's comments if it is. */
export async function isAsInFile(client: pg.Client, file: CodeFile, view: CodeObject): Promise<boolean> {
  const sql = file.sql.replace(head, `create view ${scratch}`)
  if (sql === file.sql) return false
  await client.query('savepoint compared_view')
  try {
    await client.query(sql)
    const { rows } = await client.query<{ same: boolean }>(comparison, [view.objid, scratch])
    if (rows[0]?.same) {
      await client.query(`drop view ${scratch}; release savepoint compared_view`)
      return true
    }
  } catch (error) {
    // What is wrong with the file, its real loading tells.
    if (!(error instanceof pg.DatabaseError)) throw error
  }
  await client.query('rollback to savepoint compared_view; release savepoint compared_view')
  return false
}

const comparison = `
  select count(distinct (
    pg_catalog.pg_get_viewdef(c.oid), c.reloptions::text,
    (
      select pg_catalog.array_agg((a.attname, a.atttypid, a.atttypmod, a.attcollation)::text order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0
    ))) = 1 as same
  from pg_catalog.pg_class c where c.oid in ($1, $2::text::pg_catalog.regclass)`

/**
 * Locks the views among these objects and among what depends on them until the transaction ends, so that they can be
 * replaced or dropped, and returns them. It waits for readers in short attempts, between which it has no lock on any.
 */
export async function lockViews(
  client: pg.Client,
  objects: CodeObject[],
  retry: Retry,
): Promise<CodeObject[]> {
  const views = (await withDependents(client, objects)).filter(({ isView }) => isView)
  if (views.length === 0) return []
  // Of all statements that lock a view without its tables, this one changes nothing.
  const locks = views.map(({ schema, name }) => {
    return `alter view ${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)} owner to current_user`
  })
  await client.query('savepoint unlocked_views')
  await retry(() => client.query(locks.join(';')), 'rollback to savepoint unlocked_views')
  return views
}
