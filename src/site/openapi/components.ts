import * as v from 'valibot'
import * as account from '../../http/models/account.ts'
import * as catalog from '../../http/models/catalog.ts'
import * as errors from '../../http/models/errors.ts'
import * as events from '../../http/models/events.ts'
import * as orders from '../../http/models/orders.ts'
import { pagination } from '../../http/models/parts.ts'
import {
  deliveryRecord,
  orderItem,
  orderItems,
  orderRequest,
  quoteRequest,
  redeliverDeadRequest,
  redeliveryRequest,
  simulationRequest,
} from '../../http/schemas.ts'
import { pushSchema } from '../../suppliers/push.ts'
import { placesModel } from '../home.ts'
import { compose } from './compose.ts'
import { componentSchemas, schemaRef } from './json_schema.ts'

type Schemas = { [name: string]: v.GenericSchema }

/** The `data` of each success by the name of the whole answer. */
const data: Schemas = {
  GameList: catalog.gameList,
  ProductList: catalog.productList,
  ProductAnswer: catalog.productWithTexts,
  CatalogPage: catalog.catalogPage,
  OrderAnswer: orders.order,
  OrderPage: orders.orderPage,
  OrderTimelineAnswer: events.orderTimeline,
  QuoteAnswer: orders.quote,
  ResultPage: orders.resultPage,
  EventAnswer: events.event,
  EventPage: events.eventPage,
  RedeliveryAnswer: orders.deliveries,
  RedeliveryCountAnswer: events.redeliveryCount,
  MeAnswer: account.me,
  BalanceAnswer: account.balance,
  TransactionPage: account.transactionPage,
  SimulatedOrderAnswer: orders.simulatedOrder,
  SimulationAnswer: events.simulation,
  SimulationStateAnswer: events.simulationState,
  LivenessAnswer: account.liveness,
  ReadinessAnswer: account.readiness,
  PlacesAnswer: placesModel,
}

/** Every schema that the document names. Those of requests are the schemas that check the requests. */
const namedSchemas: Schemas = {
  OrderRequest: orderRequest,
  OrderRequestItem: orderItem,
  OrderRequestItems: orderItems,
  QuoteRequest: quoteRequest,
  DeliveryData: deliveryRecord,
  SimulationRequest: simulationRequest,
  RedeliveryRequest: redeliveryRequest,
  RedeliverDeadRequest: redeliverDeadRequest,
  SupplierResult: pushSchema,

  Game: catalog.game,
  Product: catalog.product,
  ProductWithTexts: catalog.productWithTexts,
  ProductTexts: catalog.productTexts,
  DeliveryField: catalog.deliveryField,
  Order: orders.order,
  OrderItem: orders.item,
  CdKey: orders.cdKey,
  Deliveries: orders.deliveries,
  Quote: orders.quote,
  QuoteItem: orders.quoteItem,
  QuoteRefusal: orders.quoteRefusal,
  Result: orders.result,
  ResultItem: orders.resultItem,
  Event: events.event,
  Me: account.me,
  Balance: account.balance,
  Transaction: account.transaction,
  Pagination: pagination,
  ...Object.fromEntries(Object.entries(data).map(([name, schema]) => [name, success(schema)])),

  AuthenticationError: errors.authenticationError,
  OriginError: errors.originError,
  BusinessError: errors.businessError,
  ErrorDetail: errors.detail,
  BalanceError: errors.balanceError,
  LimitError: errors.limitError,
  IdempotencyError: errors.idempotencyError,
  PriceError: errors.priceError,
  RateLimitError: errors.rateLimitError,

  OrderCompletedEvent: events.orderCompleted,
  OrderFailedEvent: events.orderFailed,
  EventItem: events.eventItem,
}

/** The name of an answer, by the model of its data. Throws for a model that has none. */
export function answerName(model: v.GenericSchema): string {
  return nameIn(data, model)
}

/** The name of a schema. Throws for one that has none. */
export function schemaName(schema: v.GenericSchema): string {
  return nameIn(namedSchemas, schema)
}

/** An example of a model that the document names. */
export function exampleOf(model: v.GenericSchema): unknown {
  return compose(schemas, schemaRef(schemaName(model)))
}

function nameIn(schemas: Schemas, schema: v.GenericSchema): string {
  const name = Object.keys(schemas).find((one) => schemas[one] === schema)
  if (name === undefined) throw new Error('a schema has no name in the OpenAPI document')
  return name
}

function success(data: v.GenericSchema) {
  return v.object({ success: v.literal(true), data })
}

/** The schemas of the document by their names. */
export const schemas = componentSchemas(namedSchemas)

const signature = (timestamp: string, key: string) =>
  `\`sha256=\` and the lower-case hexadecimal HMAC-SHA256 of \`${timestamp}\`, a dot and the raw body. ${key}`

/** How a request proves its sender. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description:
      'The account’s API key: `svc_live_` or `svc_test_` and 48 hexadecimal characters. Both kinds place real ' +
      'orders. Keep the key on a server, never in a browser.',
  },
  apiKeyInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'key',
    description: 'The same key. Only for this document and its page.',
  },
  docsPassword: {
    type: 'http',
    scheme: 'basic',
    description: 'The password of the guide, with any user name. The operators give it to you.',
  },
  supplierSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Supplier-Signature',
    description: signature('X-Supplier-Timestamp', 'The key is the supplier’s token.'),
  },
  upstreamSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Signature',
    description: signature('X-Webhook-Timestamp', 'The key is the secret of the supplier’s events.'),
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Webhook-Signature',
    description: signature(
      'X-Webhook-Timestamp',
      'The key is the account’s webhook secret: its 64 characters as they stand, not decoded.',
    ),
  },
} as const
