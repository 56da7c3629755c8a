import type { SupplyArgument } from '../../database/client.ts'
import type { Network } from '../../network/networks.ts'
import { checkCallbackUrl } from '../../webhooks/callback_url.ts'
import { accountOf, type RouteContext } from '../context.ts'
import { type ErrorName, errorNames, Refusal } from '../errors.ts'
import type { OrderRequest } from '../schemas.ts'

/** An order request as SQL takes it. */
export type SqlRequest = SupplyArgument<'supply.order_request'>

/** The error that answers a refusal of SQL. Throws for a result that is no refusal. */
export function refusalOf(result: string): ErrorName {
  const name = result === 'PRODUCT_NOT_FOUND' ? 'ORDERED_PRODUCT_NOT_FOUND' : result
  const known = errorNames.find((error) => error === name)
  if (known === undefined) throw new Error(`SQL returned an unknown result: ${result}`)
  return known
}

/** Throws the refusal of a callbackUrl that may not be used. */
export function requireGoodCallback(url: string, allowNetworks: readonly Network[]): void {
  const verdict = checkCallbackUrl(url, allowNetworks)
  if (verdict.ok) return
  throw new Refusal('INVALID_CALLBACK_URL', { details: [{ path: 'callbackUrl', message: verdict.reason }] })
}

/** The request for an order, or for a quote where there is no `idempotencyKey`, as SQL takes it. */
export function sqlRequest(
  ctx: RouteContext,
  order: Omit<OrderRequest, 'externalOrderId'> & { externalOrderId?: string },
  idempotencyKey: string | null,
  allowNetworks: readonly Network[],
): SqlRequest {
  const { id, keyId } = accountOf(ctx)
  const { client, requestId, requestIdGiven, traceparent } = ctx.state
  const url = order.callbackUrl
  const verdict = url === null ? { ok: true as const } : checkCallbackUrl(url, allowNetworks)
  return {
    ordinal: 1,
    account_id: id,
    key_id: keyId,
    client,
    request_id: requestId,
    request_id_given: requestIdGiven,
    traceparent: traceparent ?? null,
    idempotency_key: idempotencyKey,
    external_order_id: order.externalOrderId ?? null,
    // A valid URL has no characters that PostgreSQL cannot store, so a URL that is changed here is refused anyway.
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
