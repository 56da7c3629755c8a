type Ordinal = { ordinal: number }

/**
 * Calls an SQL function that takes a list of entries with ordinals, from 1, and answers each of them by one row. Returns
 * the rows in the order of the entries. Throws unless each entry has exactly one row.
 */
export async function callNumbered<Entry extends object, Row extends Ordinal>(
  entries: readonly Entry[],
  call: (numbered: (Entry & Ordinal)[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const answers = byOrdinal(
    await call(entries.map((entry, place) => ({ ...entry, ordinal: place + 1 }))),
    entries.length,
  )
  return answers.map((answer, place) => {
    if (answer === null) throw new Error(`a batch of ${entries.length} left entry ${place} without an answer`)
    return answer
  })
}

/**
 * Calls an SQL function that takes a list of ids and leaves out those for which there is nothing to do: their answer is
 * null. A row's ordinal is the place of its id in the list, from 1. Throws if two rows answer the same id, or if a row
 * answers none.
 */
export async function callForIds<Row extends Ordinal>(
  ids: readonly string[],
  call: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<(Row | null)[]> {
  return byOrdinal(await call(ids), ids.length)
}

function byOrdinal<Row extends Ordinal>(rows: readonly Row[], size: number): (Row | null)[] {
  const answers = Array<Row | null>(size).fill(null)
  for (const row of rows) {
    const before = answers[row.ordinal - 1]
    if (before === undefined) throw new Error('a batch answered an entry that it was not given')
    if (before !== null) throw new Error('a batch answered an entry twice')
    answers[row.ordinal - 1] = row
  }
  return answers
}
