import type postgres from 'postgres'

const numbers = new Set([20, 21, 23, 700, 701, 1700])
const typeVoid = 2278

/** Runs statements one after the other, each by itself as psql does, and returns what psql would print, without results of type void. */
export async function asPsql(sql: postgres.Sql, text: string): Promise<string> {
  const printed: string[] = []
  for (const statement of statementsOf(text)) {
    const rows = await sql.unsafe(statement).raw()
    if (rows.columns.length > 0 && rows.columns[0]?.type !== typeVoid)
      printed.push(table(rows.columns, rows as unknown as (Buffer | null)[][]))
  }
  return printed.join('\n\n')
}

/** The statements of a block: each ends with a semicolon at the end of a line, after which a remark may stand. */
function statementsOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.replace(/; +--.*$/, ';'))
  const statements = lines.join('\n').split(/;$/m)
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

function table(columns: { name: string; type: number }[], rows: (Buffer | null)[][]): string {
  const cells = rows.map((row) => row.map((cell) => cell?.toString() ?? ''))
  const widths = columns.map(({ name }, n) => Math.max(name.length, ...cells.map((row) => row[n]?.length ?? 0)))
  const width = (n: number) => widths[n] ?? 0
  const head = columns.map(({ name }, n) => name.padStart(Math.floor((width(n) + name.length) / 2)).padEnd(width(n)))
  const body = cells.map((row) =>
    row.map((cell, n) => (numbers.has(columns[n]?.type ?? 0) ? cell.padStart(width(n)) : cell.padEnd(width(n)))),
  )
  const lines = [head, ...body].map((row) => ` ${row.join(' | ')}`.trimEnd())
  lines.splice(1, 0, widths.map((n) => '-'.repeat(n + 2)).join('+'))
  return [...lines, rows.length === 1 ? '(1 row)' : `(${rows.length} rows)`].join('\n')
}
