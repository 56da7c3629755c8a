import type postgres from 'postgres'

const tables = [
  'orders',
  'order_items',
  'supplier_attempts',
  'ledger',
  'events',
  'delivery_attempts',
  'alerts',
  'operator_log',
]

/** Lets time pass for what is recorded: all that happened, and all that is planned, moves so far into the past. */
export async function timePasses(sql: postgres.Sql, interval: string): Promise<void> {
  const columns = await sql<{ table: string; columns: string[] }[]>`
    select c.relname::text as table, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'timestamptz'::regtype and not a.attisdropped
    where c.relnamespace = 'supply'::regnamespace and c.relname = any(${tables})
    group by c.relname`
  await sql.begin(async (tx) => {
    // The ledger and the operators' log refuse every change.
    await tx`set local session_replication_role = replica`
    for (const { table, columns: names } of columns) {
      const moved = names.map((name) => `${name} = ${name} - interval '${interval}'`)
      await tx.unsafe(`update supply.${table} set ${moved.join(', ')}`)
    }
  })
}
