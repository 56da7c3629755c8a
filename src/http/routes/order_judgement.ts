import type { Network } from '../../network/networks.ts'
import { checkCallbackUrl } from '../../webhooks/callback_url.ts'
import type { Context } from '../context.ts'
import { type ErrorName, refuse } from '../errors.ts'

const refusals: { [result: string]: ErrorName } = {
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

/** The error by which an order is refused that SQL judged so. Throws for a result that is no refusal. */
export function refusalOf(result: string): ErrorName {
  const refusal = refusals[result]
  if (refusal === undefined) throw new Error(`an order got an unknown result: ${result}`)
  return refusal
}

/** Whether a callbackUrl may be used; if not, answers the request. */
export function isGoodCallback(ctx: Context, url: string, allowNetworks: readonly Network[]): boolean {
  const verdict = checkCallbackUrl(url, allowNetworks)
  if (verdict.ok) return true
  refuse(ctx, 'INVALID_CALLBACK_URL', { details: [{ path: 'callbackUrl', message: verdict.reason }] })
  return false
}

/** The callbackUrl of an order as SQL takes it, with why it is refused. */
export function checkedCallback(
  url: string | null,
  allowNetworks: readonly Network[],
): { callbackUrl: string | null; callbackError: string | null } {
  if (url === null) return { callbackUrl: null, callbackError: null }
  const verdict = checkCallbackUrl(url, allowNetworks)
  // What PostgreSQL cannot store is in no good URL, so that what is replaced here is refused in any case.
  const callbackUrl = url.toWellFormed().replaceAll('\u0000', '\uFFFD')
  return { callbackUrl, callbackError: verdict.ok ? null : verdict.reason }
}
