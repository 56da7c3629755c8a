/** Counts what happens, and keeps what must not. */
export type Report = {
  count(what: string, by?: number): void
  counted(what: string): number
  /** Something that should not be: the storm has failed. */
  difference(what: string, subject: string): void
  differences(): string[]
  /** All figures, by name. */
  figures(): [string, number][]
}

// Of each kind: many of one kind must not hide another.
const mostKept = 20

export function createReport(say: (line: string) => void): Report {
  const figures = new Map<string, number>()
  const differences: string[] = []
  const count = (what: string, by = 1) => void figures.set(what, (figures.get(what) ?? 0) + by)
  return {
    count,
    counted: (what) => figures.get(what) ?? 0,
    difference: (what, subject) => {
      count('differences')
      const kind = `difference: ${what.replaceAll(/[0-9]+/g, 'n')}`
      count(kind)
      if ((figures.get(kind) ?? 0) > mostKept) return
      differences.push(`${what}: ${subject}`)
      say(`DIFFERENCE ${what}: ${subject}`)
    },
    differences: () => differences,
    figures: () => [...figures].sort(([one], [other]) => one.localeCompare(other)),
  }
}
