/** A row to be written: texts and numbers as they are, null as an empty field. */
export type CsvRow = readonly (string | number | null)[]

/**
 * Writes a table as CSV (RFC 4180): CRLF after every line; quoted is what holds a quote, a comma or a line break, or
 * begins or ends with white space. Nothing is altered, so that what is read back is exactly what was written.
 */
export function toCsv(header: readonly string[], rows: readonly CsvRow[]): string {
  return [header, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
}

function field(value: string | number | null): string {
  const text = value === null ? '' : String(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
