import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import type { SqlRequest } from '../../src/http/routes/order_requests.ts'
import { type Partner, products } from './partner.ts'

export type OrderRequest = {
  ordinal?: number
  client?: string
  requestId?: string
  idempotencyKey?: string
  externalOrderId?: string
  callbackUrl?: string | null
  callbackError?: string | null
  maxTotal?: number | null
  items?: { productId: number; quantity?: number; deliveryData?: object; maxPrice?: number | null }[]
}

/** The order, or what a refusal says. */
type Answer = {
  code: string
  orderCode: string
  details: { path: string; message: string }[]
  items: { id: string; status: string }[]
  [field: string]: unknown
}

export type Placed = { ordinal: number; result: string; body: Answer }

let counter = 0

/** One request as `api.place_orders` takes it, with what a test leaves out. */
export function orderRequest(partner: Partner, request: OrderRequest = {}): SqlRequest & { ordinal: number } {
  counter += 1
  const externalOrderId = request.externalOrderId ?? `order-${counter}`
  return {
    ordinal: request.ordinal ?? 1,
    account_id: partner.accountId,
    key_id: partner.keyId,
    client: request.client ?? '192.0.2.7',
    request_id: request.requestId ?? null,
    request_id_given: null,
    traceparent: null,
    idempotency_key: request.idempotencyKey ?? externalOrderId,
    external_order_id: externalOrderId,
    callback_url: request.callbackUrl ?? null,
    callback_error: request.callbackError ?? null,
    max_total: request.maxTotal ?? null,
    items: (request.items ?? [{ productId: products.topUp }]).map(({ productId, ...item }) => ({
      product_id: productId,
      quantity: item.quantity ?? 1,
      delivery_data: item.deliveryData ?? (productId === products.key ? {} : { gameUserId: '12345' }),
      max_price: item.maxPrice ?? null,
    })),
  }
}

/** Places requests in one call, the busy ones again as the API does, and returns the answers by ordinal. */
export async function placeAll<Request extends { ordinal: number }>(
  sql: postgres.Sql,
  requests: Request[],
): Promise<Placed[]> {
  const rows = await sql<Placed[]>`select * from api.place_orders(${sql.json(requests as never)})`
  const isBusy = ({ ordinal }: { ordinal: number }) =>
    rows.some((row) => row.ordinal === ordinal && row.result === 'busy')
  const busy = requests.filter(isBusy)
  if (busy.length > 0) await sleep(5)
  const again = busy.length > 0 ? await placeAll(sql, busy) : []
  return [...rows.filter((row) => !isBusy(row)), ...again].sort((a, b) => a.ordinal - b.ordinal)
}

/** Places one order and returns its answer. */
export async function place(sql: postgres.Sql, partner: Partner, request: OrderRequest = {}): Promise<Placed> {
  const [placed] = await placeAll(sql, [orderRequest(partner, request)])
  if (placed === undefined) throw new Error('no answer')
  return placed
}

export async function balanceOf(sql: postgres.Sql, partner: Partner): Promise<number> {
  const [row] = await sql`select balance from ops.accounts where account_id = ${partner.accountId}`
  return Number(row?.balance)
}

/** What the audit finds; empty while all is well. */
export async function audit(sql: postgres.Sql): Promise<object[]> {
  return [...(await sql`select * from ops.audit`)]
}
