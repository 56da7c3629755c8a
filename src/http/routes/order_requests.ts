import type { SupplyArgument } from '../../database/client.ts'
import type { Network } from '../../network/networks.ts'
import { checkCallbackUrl } from '../../webhooks/callback_url.ts'
import { accountOf, type Context, type RouteContext } from '../context.ts'
import { type ErrorName, refuse } from '../errors.ts'
import type { OrderRequest } from '../schemas.ts'

/** An order request as SQL takes it. */
export type SqlRequest = SupplyArgument<'supply.order_request'>

type Refusal = Exclude<SupplyArgument<'supply.order_result'>, 'busy' | 'replayed' | 'created'>

const refusals: { [result in Refusal]: ErrorName } = {
  UNAUTHORIZED: 'UNAUTHORIZED',
  IDEMPOTENCY_KEY_REUSED: 'IDEMPOTENCY_KEY_REUSED',
  INVALID_CALLBACK_URL: 'INVALID_CALLBACK_URL',
  PRODUCT_NOT_FOUND: 'ORDERED_PRODUCT_NOT_FOUND',
  DELIVERY_DATA_INVALID: 'DELIVERY_DATA_INVALID',
  PRODUCT_UNAVAILABLE: 'PRODUCT_UNAVAILABLE',
  QUANTITY_OUT_OF_RANGE: 'QUANTITY_OUT_OF_RANGE',
  PRICE_CHANGED: 'PRICE_CHANGED',
  INSUFFICIENT_BALANCE: 'INSUFFICIENT_BALANCE',
}

/** The error that answers a refusal of SQL. Throws for a result that is no refusal. */
export function refusalOf(result: string): ErrorName {
  if (!Object.hasOwn(refusals, result)) throw new Error(`an order got an unknown result: ${result}`)
  return refusals[result as Refusal]
}

/** Whether a callbackUrl may be used; if not, answers the request. */
export function isGoodCallback(ctx: Context, url: string, allowNetworks: readonly Network[]): boolean {
  const verdict = checkCallbackUrl(url, allowNetworks)
  if (verdict.ok) return true
  refuse(ctx, 'INVALID_CALLBACK_URL', { details: [{ path: 'callbackUrl', message: verdict.reason }] })
  return false
}

/** The request for an order, or for a quote where there is no `idempotencyKey`, as SQL takes it. */
export function sqlRequest(
  ctx: RouteContext,
  order: Omit<OrderRequest, 'externalOrderId'> & { externalOrderId?: string },
  idempotencyKey: string | null,
  allowNetworks: readonly Network[],
): SqlRequest {
  const { id, keyId } = accountOf(ctx)
  const { requestId, requestIdGiven, traceparent } = ctx.state
  const url = order.callbackUrl
  const verdict = url === null ? { ok: true as const } : checkCallbackUrl(url, allowNetworks)
  return {
    ordinal: 1,
    account_id: id,
    key_id: keyId,
    request_id: requestId,
    request_id_given: requestIdGiven,
    traceparent: traceparent ?? null,
    idempotency_key: idempotencyKey,
    external_order_id: order.externalOrderId ?? null,
    // What PostgreSQL cannot store is in no good URL, so that what is replaced here is refused in any case.
    callback_url: url?.toWellFormed().replaceAll('\u0000', '\uFFFD') ?? null,
    callback_error: verdict.ok ? null : verdict.reason,
    max_total: order.maxTotal,
    items: order.items.map((item) => ({
      product_id: item.productId,
      quantity: item.quantity,
      delivery_data: item.deliveryData,
      max_price: item.maxPrice,
    })),
  }
}
