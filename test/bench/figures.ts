/** The p-th percentile (0..100) of numbers that are in order; NaN of none. */
function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * p) / 100))] ?? Number.NaN
}

/** Milliseconds; `never` for what did not come. */
export type Latencies = { p50: number; p95: number; p99: number }

/** Worse than any time. JSON knows no infinity. */
const never = 1e9

export function latenciesOf(times: readonly number[]): Latencies {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (p: number) => Math.min(percentile(sorted, p), never)
  return { p50: at(50), p95: at(95), p99: at(99) }
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    50,
  )
}

/** A figure with its goal: `least` or `most` that it may be. */
export type Target = { what: string; value: number; unit: string } & ({ least: number } | { most: number })

/** What was measured, for a terminal. */
export type Table = { title: string; columns: string[]; rows: (string | number)[][]; notes?: string[] }

/** A table as lines, the columns aligned. */
export function renderTable({ title, columns, rows, notes = [] }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(shown))]
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return [
    '',
    title,
    ...cells.map((row) => `  ${row.map(pad).join('  ')}`.trimEnd()),
    ...notes.map((note) => `  ${note}`),
  ].join('\n')
}

/** A number with about three digits that count; a dash for what was not measured. */
export function shown(value: string | number): string {
  if (typeof value === 'string') return value
  if (!Number.isFinite(value)) return '–'
  if (value >= never) return 'never'
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(Math.abs(value) < 10 ? 2 : 1)
}
