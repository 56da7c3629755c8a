import type postgres from 'postgres'

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
  return [...(await sql<Call[]>`select * from work.begin_calls(${itemIds}, '{}', null) order by ordinal`)]
}

/** Records one result under a lease and returns the verdict. */
export async function record(
  sql: postgres.Sql,
  call: { item_id: string; lease_token: string },
  result: object,
  deadline = '24 hours',
): Promise<string> {
  const results = [{ ordinal: 1, itemId: call.item_id, leaseToken: call.lease_token, result }]
  const [row] =
    await sql`select * from work.finish_calls(${sql.json(results as never)}, ${deadline}::interval, '30 minutes', 0, null)`
  return row?.verdict
}

/** Leases the call of an item that has one due, and records its result. */
export async function answer(
  sql: postgres.Sql,
  itemId: string,
  result: object,
  deadline?: string,
): Promise<string> {
  const [call] = await leaseCalls(sql, [itemId])
  if (call === undefined) throw new Error(`no call of item ${itemId} is due`)
  return record(sql, call, result, deadline)
}

type Said = { codes?: string[]; errorCode?: string; reason?: string }

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
  ...{
    outcome: 'hold',
    error: 'a different body',
    codes,
    supplierOrderId: 'theirs',
    httpStatus: 409,
    raw: null,
  },
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
