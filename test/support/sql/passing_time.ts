import type postgres from 'postgres'
import { unchecked } from './transactions.ts'

const tables = [
  'orders',
  'order_items',
  'supplier_attempts',
  'ledger',
  'events',
  'delivery_attempts',
  'alerts',
  'occurrences',
  'acknowledgements',
  'operator_log',
  'redelivery_requests',
  'imports',
]
const planned = ['next_check_at', 'next_attempt_at', 'lease_expires_at']

/** Lets time pass for what is recorded: all that happened, and all that is planned, moves so far into the past. */
export const timePasses = (sql: postgres.Sql, interval: string) => moveBack(sql, interval, [])

/** Lets what is recorded have happened so long before; what is planned stays. */
export const growOld = (sql: postgres.Sql, interval: string) => moveBack(sql, interval, planned)

async function moveBack(sql: postgres.Sql, interval: string, kept: string[]): Promise<void> {
  const columns = await sql<{ table: string; columns: string[] }[]>`
    select c.relname::text as table, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.atttypid = 'timestamptz'::regtype and not a.attisdropped
    where c.relnamespace = 'supply'::regnamespace and c.relname = any(${tables}) and a.attname <> all(${kept})
    group by c.relname`
  await unchecked(sql, async (tx) => {
    for (const { table, columns: names } of columns) {
      const moved = names.map((name) => `${name} = ${name} - interval '${interval}'`)
      await tx.unsafe(`update supply.${table} set ${moved.join(', ')}`)
    }
    await rechained(tx)
  })
}

/** Makes the hashes of all ledger rows again: their times are a part of them. */
export const rechained = (tx: postgres.TransactionSql) =>
  tx.unsafe(`do $$
    declare
      line supply.ledger;
      previous bytea;
    begin
      for line in select * from supply.ledger order by account_id, seq loop
        previous := core.entry_hash(case when line.seq > 1 then previous end, line);
        update supply.ledger set hash = previous where (account_id, seq) = (line.account_id, line.seq);
      end loop;
    end $$`)
