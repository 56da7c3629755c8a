import type postgres from 'postgres'

/** The only value of a statement's first row; undefined without a row. */
export async function oneValue<T = postgres.Row[string]>(query: PromiseLike<postgres.Row[]>): Promise<T> {
  const [row = {}] = await query
  return Object.values(row)[0]
}
