import type * as v from 'valibot'
import {
  deliveryRecord,
  orderItem,
  orderRequest,
  quoteRequest,
  redeliverDeadRequest,
  redeliveryRequest,
  simulationRequest,
} from '../../http/schemas.ts'
import { pushSchema } from '../../suppliers/push.ts'
import * as deliveryModels from './delivery_models.ts'
import * as errors from './error_models.ts'
import * as events from './event_models.ts'
import * as models from './models.ts'
import * as quoteModels from './quote_models.ts'

/**
 * Every schema that the document names: those that check requests, those that describe responses, and those of the
 * webhooks' bodies.
 */
export const namedSchemas: { [name: string]: v.GenericSchema } = {
  OrderRequest: orderRequest,
  OrderRequestItem: orderItem,
  QuoteRequest: quoteRequest,
  DeliveryData: deliveryRecord,
  SimulationRequest: simulationRequest,
  RedeliveryRequest: redeliveryRequest,
  RedeliverDeadRequest: redeliverDeadRequest,
  SupplierResult: pushSchema,

  Game: models.game,
  GameList: models.success(models.gameList),
  Product: models.product,
  DeliveryField: models.deliveryField,
  ProductList: models.success(models.productList),
  ProductAnswer: models.success(models.product),
  CatalogPage: models.success(models.catalogPage),
  Order: models.order,
  OrderItem: models.item,
  CdKey: models.cdKey,
  OrderAnswer: models.success(models.order),
  Deliveries: deliveryModels.deliveries,
  OrderTimelineAnswer: models.success(deliveryModels.orderTimeline),
  RedeliveryAnswer: models.success(deliveryModels.deliveries),
  RedeliveryCountAnswer: models.success(models.redeliveryCount),
  Event: deliveryModels.event,
  EventAnswer: models.success(deliveryModels.event),
  EventPage: models.success(models.eventPage),
  Me: models.me,
  MeAnswer: models.success(models.me),
  OrderPage: models.success(models.orderPage),
  Quote: quoteModels.quote,
  QuoteItem: quoteModels.quoteItem,
  QuoteRefusal: quoteModels.quoteRefusal,
  QuoteAnswer: models.success(quoteModels.quote),
  Result: models.result,
  ResultItem: models.resultItem,
  ResultPage: models.success(models.resultPage),
  Balance: models.balance,
  BalanceAnswer: models.success(models.balance),
  Transaction: models.transaction,
  TransactionPage: models.success(models.transactionPage),
  SimulatedOrderAnswer: models.success(models.simulatedOrder),
  SimulationAnswer: models.success(models.simulation),
  SimulationStateAnswer: models.success(models.simulationState),
  LivenessAnswer: models.success(models.liveness),
  ReadinessAnswer: models.success(models.readiness),
  PlacesAnswer: models.success(models.places),

  AuthenticationError: errors.authenticationError,
  OriginError: errors.originError,
  BusinessError: errors.businessError,
  ErrorDetail: errors.detail,
  BalanceError: errors.balanceError,
  IdempotencyError: errors.idempotencyError,
  PriceError: errors.priceError,
  RateLimitError: errors.rateLimitError,

  OrderCompletedEvent: events.orderCompleted,
  OrderFailedEvent: events.orderFailed,
  EventItem: events.eventItem,
}

/** How a request can prove who it is from. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'The account’s API key, `svc_live_` or `svc_test_` and 48 hexadecimal characters. Both kinds place real orders. It ' +
      'belongs on a server, never in a browser.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'The same key. Only for this document and the page that shows it.',
  },
  docsPassword: {
    type: 'http',
    scheme: 'basic',
    description: 'The password of the guide, which the operators give out, with any user name.',
  },
  supplierSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Supplier-Signature',
    description:
      '`sha256=` and the lower-case hexadecimal HMAC-SHA256 of `X-Supplier-Timestamp`, a dot and the raw body, under the ' +
      'supplier’s token.',
  },
  upstreamSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Signature',
    description:
      '`sha256=` and the lower-case hexadecimal HMAC-SHA256 of `X-Webhook-Timestamp`, a dot and the raw body, under the ' +
      'secret that the supplier signs its events with.',
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Signature',
    description:
      '`sha256=` and the lower-case hexadecimal HMAC-SHA256 of `X-Webhook-Timestamp`, a dot and the raw body. The key is ' +
      'the account’s webhook secret: its 64 characters as they stand.',
  },
} as const
