import type postgres from 'postgres'
import type { Recorded } from '../../tasks/deliver_webhook.ts'

export type Call = {
  ordinal: number
  item_id: string
  lease_token: string
  method: 'put' | 'get'
  sku: string
  quantity: number
  base_url: string
  reference: string
  supplier: string
}

/** Makes the planned calls of these items due and leases them, as a worker would; their jobs are done then. */
export async function leaseCalls(sql: postgres.Sql, itemIds: string[]): Promise<Call[]> {
  await sql`update supply.order_items set next_check_at = now() where id = any(${itemIds}) and next_check_at > now()`
  await sql`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${itemIds})`
  // Calls that earlier tests left under way take none of the two places at an open circuit.
  await sql`update supply.supplier_attempts set started_at = started_at - interval '1 minute'
    where finished_at is null and supplier in (select code from supply.suppliers where open_since is not null)`
  return [...(await sql<Call[]>`select * from work.begin_calls(${itemIds}, '{}', null) order by ordinal`)]
}

type Recording = { deadline?: string; unsafeAfter?: string; toSend?: number; pool?: string | null }

/** Records results of calls in one batch, as a worker does: verdicts in the order of the calls, and first attempts. */
export async function finishCalls(
  sql: postgres.ISql,
  calls: { item_id: string; lease_token: string }[],
  result: object | ((index: number) => object),
  { deadline = '24 hours', unsafeAfter = '30 minutes', toSend = 0, pool = null }: Recording = {},
): Promise<{ verdicts: string[]; attempts: Recorded['attempts'] }> {
  const results = calls.map(({ item_id, lease_token }, index) => ({
    ...{ ordinal: index + 1, itemId: item_id, leaseToken: lease_token },
    result: typeof result === 'function' ? result(index) : result,
  }))
  const [row] = await sql`
    select to_json(work.finish_calls(
      ${sql.json(results as never)}, ${deadline}::interval, ${unsafeAfter}::interval, ${toSend}, ${pool})) as recorded`
  return { verdicts: verdictsOf(row?.recorded), attempts: row?.recorded.attempts }
}

/** The verdicts of recorded results, in the order of the results. */
export function verdictsOf({ answers }: Recorded): string[] {
  return answers.toSorted((a, b) => a.ordinal - b.ordinal).map(({ verdict }) => verdict)
}

/** Records one result under a lease and returns the verdict. */
export async function record(
  sql: postgres.Sql,
  call: { item_id: string; lease_token: string },
  result: object,
  deadline?: string,
): Promise<string> {
  const { verdicts } = await finishCalls(sql, [call], result, { deadline })
  return verdicts[0] ?? ''
}

/** Leases the call of an item that has one due, and records its result. */
export async function answer(sql: postgres.Sql, itemId: string, result: object, deadline?: string): Promise<string> {
  const [call] = await leaseCalls(sql, [itemId])
  if (call === undefined) throw new Error(`no call of item ${itemId} is due`)
  return record(sql, call, result, deadline)
}

export type Said = { codes?: string[]; errorCode?: string; reason?: string; unitPrice?: number; currency?: string }

export const completed = (said: Said = {}) => outcomeOf('completed', said)
export const failed = (said: Said = {}) => outcomeOf('failed', said)
export const processing = () => outcomeOf('processing', {})
export const unknown = (retryAfter: number | null = null) => ({
  outcome: 'unknown',
  error: 'timeout',
  httpStatus: null,
  retryAfter,
  raw: null,
})
export const notReceived = () => ({ outcome: 'not_received' })
/** By this call there is certainly no order. */
export const notPlaced = (cause = 'busy', retryAfter: number | null = null) => ({
  ...{ outcome: 'not_placed', cause, error: `HTTP 4xx of ${cause}`, httpStatus: 429, retryAfter, raw: null },
})
/** An operator has to look. */
export const hold = (codes: string[] = []) => ({
  ...{ outcome: 'hold', error: 'a different body', codes, supplierOrderId: 'theirs', httpStatus: 409, raw: null },
})

function outcomeOf(status: string, said: Said) {
  return {
    outcome: 'answered',
    status,
    codes: [],
    errorCode: null,
    reason: null,
    supplierOrderId: null,
    httpStatus: 200,
    ...said,
  }
}

/** Makes the codes of all items other ones, so that a test can give codes that it, or an earlier one, gave before. */
export const renewCodes = (sql: postgres.Sql) =>
  sql`update supply.item_keys set code = left(item_id || code, 1000) where code not like 'sealed:%'`
