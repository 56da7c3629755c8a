/** The p-th percentile (0..100) of some numbers; NaN of none. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN
}

/** What a benchmark found out: a table, and what has to be said about it. */
export type Report = { title: string; columns: string[]; rows: (string | number)[][]; notes?: string[] }

/** A report for a terminal, its columns aligned. */
export function printReport({ title, columns, rows, notes = [] }: Report): void {
  const table = [columns, ...rows.map((row) => row.map(shown))]
  const widths = columns.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)))
  console.log(`\n${title}`)
  for (const row of table) {
    console.log(
      `  ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')}`,
    )
  }
  for (const note of notes) console.log(`  ${note}`)
}

function shown(value: string | number): string {
  if (typeof value === 'string') return value
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}
