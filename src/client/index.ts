export { type CallOptions, type ClientOptions, type PlaceOptions, SupplyClient } from './client.ts'
export {
  isRefused,
  NoAnswerError,
  type RefusalCode,
  RefusedError,
  SupplyError,
  UnknownOutcomeError,
} from './errors.ts'
export type * from './types.ts'
export { type OrderEvent, type VerifyOptions, verifyWebhook, type WebhookVerdict } from './webhooks.ts'
