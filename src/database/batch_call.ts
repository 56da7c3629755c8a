type Ordinal = { ordinal: number }

/**
 * Calls an SQL function that takes a list of entries with ordinals and answers each of them by one row. Returns the
 * answers as `batch` takes them. Throws if two rows answer the same entry; `batch` finds the entries without an answer.
 */
export async function callNumbered<Entry extends object, Row extends Ordinal>(
  entries: readonly Entry[],
  call: (numbered: (Entry & Ordinal)[]) => Promise<readonly Row[]>,
): Promise<Map<number, Row>> {
  return byOrdinal(await call(entries.map((entry, index) => ({ ...entry, ordinal: index + 1 }))))
}

/**
 * Calls an SQL function that takes a list of ids and leaves out those for which there is nothing to do: their answer is
 * null. A row's ordinal is the place of its id in the list, from 1. Throws if two rows answer the same id, or if a row
 * answers none.
 */
export async function callForIds<Row extends Ordinal>(
  ids: readonly string[],
  call: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<Map<number, Row | null>> {
  const unanswered = new Map<number, Row | null>(ids.map((_, index) => [index, null]))
  const answers = new Map([...unanswered, ...byOrdinal(await call(ids))])
  if (answers.size !== ids.length) throw new Error('a batch answered an id that it was not given')
  return answers
}

/**
 * Rows that carry the ordinals of SQL, from 1, as the answers of a batch, from 0.
 * Throws if two rows answer the same ordinal.
 */
export function byOrdinal<Row extends Ordinal>(rows: readonly Row[]): Map<number, Row> {
  const answers = new Map(rows.map((row) => [row.ordinal - 1, row]))
  if (answers.size !== rows.length) throw new Error('a batch answered an entry twice')
  return answers
}
