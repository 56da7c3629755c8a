import postgres from 'postgres'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Node[]
}

/** A statement that was run, with the nodes of its plan and the most rows that one of them read. */
export type Statement = { text: string; nodes: Node[]; rowsRead: number }

export type Explained = {
  /** Runs a statement and returns its rows, and every statement that the functions in it ran, but for the checks of foreign keys. */
  explained(
    work: (sql: postgres.Sql) => PromiseLike<postgres.Row[]>,
  ): Promise<{ rows: postgres.Row[]; statements: Statement[] }>
  end(): Promise<void>
}

/** A superuser's session of one connection that tells what each statement within functions does, by auto_explain. */
export async function explainingSession(url: string, settings: Readonly<Record<string, string>>): Promise<Explained> {
  let notices: string[] = []
  const sql = postgres(url, { max: 1, connection: settings, onnotice: ({ message = '' }) => notices.push(message) })
  await sql`load 'auto_explain'`
  await sql`
    select set_config('auto_explain.' || name, value, false) from (values
      ('log_min_duration', '0'), ('log_nested_statements', 'on'), ('log_analyze', 'on'), ('log_timing', 'off'),
      ('log_format', 'json'), ('log_level', 'notice')) as s (name, value)`
  return {
    explained: async (work) => {
      notices = []
      const rows = await work(sql)
      const plans = notices.flatMap((notice) => notice.match(/plan:\s*(\{.*\})/s)?.[1] ?? [])
      const statements = plans.map((plan) => statementOf(JSON.parse(plan)))
      return { rows, statements: statements.filter(({ text }) => !text.includes('FOR KEY SHARE OF x')) }
    },
    end: () => sql.end({ timeout: 1 }),
  }
}

function statementOf(explained: { 'Query Text': string; Plan: Node }): Statement {
  const nodes = all(explained.Plan)
  const reads = nodes.map(
    (node) =>
      ((node['Actual Rows'] ?? 0) +
        (node['Rows Removed by Filter'] ?? 0) +
        (node['Rows Removed by Index Recheck'] ?? 0)) *
      (node['Actual Loops'] ?? 0),
  )
  return { text: explained['Query Text'], nodes, rowsRead: Math.max(...reads) }
}

function all(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(all)]
}

/** Runs something in a new session, which has no plans yet. */
export async function inNewSession<T>(
  url: string,
  settings: Readonly<Record<string, string>>,
  work: (session: Explained) => Promise<T>,
): Promise<T> {
  const session = await explainingSession(url, settings)
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}

/** The most rows that one of these statements reads. */
export const mostRead = (statements: Statement[]): number => Math.max(...statements.map(({ rowsRead }) => rowsRead))

/** Switches autovacuum off for the tables of the service and the queue: it would have plans made again. */
export async function withoutAutovacuum(sql: postgres.Sql): Promise<void> {
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace)`
  for (const { name } of tables) await sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
}

/** By what the statements read a table: the names of the indexes, or the kind of scan, in order. */
export function scansOf(statements: Statement[], table: string): string[] {
  const nodes = statements.flatMap((statement) => statement.nodes)
  const scans = nodes.flatMap((node) => {
    const index = node['Index Name'] ?? ''
    if (node['Node Type'] === 'Bitmap Index Scan') return index.startsWith(`${table}_`) ? [index] : []
    if (node['Relation Name'] !== table || !node['Node Type'].includes('Scan')) return []
    return node['Node Type'] === 'Bitmap Heap Scan' ? [] : [index || node['Node Type']]
  })
  return [...new Set(scans)].sort()
}
