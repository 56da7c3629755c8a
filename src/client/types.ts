// Generated from the OpenAPI document by src/site/openapi/generate_client_types.ts. Do not edit.

export type OrderRequest = {
  items: OrderRequestItem[]
  /** Your own reference of the order, and its idempotency key where no header gives another: unique permanently. */
  externalOrderId: string
  /**
   * Where the result is sent, as a webhook. http or https, a public host, no credentials in it; the final address, for
   * redirects are not followed.
   */
  callbackUrl?: string | null | undefined
  /** The most that the order may cost in all. Above it, it is refused as `PRICE_CHANGED`. */
  maxTotal?: number | null | undefined
}

export type OrderRequestItem = {
  /** The `id` of a product of the catalog. */ productId: number
  /** How many; 1 where it is absent. The product says how many at most (`maxQuantity`). */
  quantity?: number | null | undefined
  /** Required as far as the product’s `deliveryDataSchema` has required fields. */
  deliveryData?: DeliveryData | null | undefined
  /** The most that one may cost. Where the price is higher, the order is refused as `PRICE_CHANGED`. */
  maxPrice?: number | null | undefined
}

export type QuoteRequest = {
  items: OrderRequestItem[]
  /** As in an order. A forbidden URL is no error here: `wouldBeRefused` reports it. */
  callbackUrl?: string | null | undefined
  /** The most that the order may cost in all. Above it, it is refused as `PRICE_CHANGED`. */
  maxTotal?: number | null | undefined
}

/**
 * What the delivery needs, by the ids of the product’s `deliveryDataSchema`; for a top-up the player as `gameUserId`.
 * Other keys are passed on to the supplier. `null` counts as absent. Keys named `__proto__`, `constructor` or
 * `prototype` are refused, and whole numbers beyond 2^53 have to be texts.
 */
export type DeliveryData = { [name: string]: string | number | boolean | null }

export type SimulationRequest = {
  /** Where the event is sent; the rules are those of an order’s `callbackUrl`. */ callbackUrl: string
  eventType: 'order.completed' | 'order.failed'
  /**
   * An order of yours that ended so: the event is about it then, unless it would be larger than 64 KiB, which is
   * refused. With any other code, or none, it holds sample data.
   */
  orderCode?: string | null | undefined
}

export type RedeliveryRequest = {
  /** Where the event goes from now on, if its address was wrong; the rules are those of an order’s `callbackUrl`. */
  callbackUrl?: string | null | undefined
}

export type RedeliverDeadRequest = {
  /** Only dead events are sent again together. */ state: 'dead'
  /** Events that died since then, an ISO 8601 date or time. */ since: string
  /** With `true`, the events are only counted. */ dryRun?: boolean | null | undefined
}

export type Game = {
  /** The game’s number. */ id: number
  /** The game’s name in URLs. */ slug: string
  /** The game’s name. */ name: string
  /** A picture of the game. */ imageUrl: string | null
  /** The `deliveryType`s of the game’s products. */ deliveryTypes: string[]
  /** The number of products in the game’s list of products. */ productCount: number
}

export type Product = {
  /** The `productId` of orders. */ id: number
  /** The `slug` of the product’s game. */ gameSlug: string
  /** The product’s name. */ name: string
  /** The product’s name in URLs. */ slug: string
  /** Your price per unit. At most two decimals. */ wholesalePrice: number
  /** Your prices for larger quantities of one item, by quantity. Empty: there are none. */
  priceTiers: {
    /** The smallest quantity of an item that has the price. */ minQuantity: number
    /** Your price per unit, for all units of the item. At most two decimals. */ price: number
  }[]
  /** ISO 4217. */ currency: string
  /** Where the product can be used; `null`: anywhere. */ region: string | null
  /** Where the product can be used, by ISO 3166 alpha-2; `null`: everywhere. */ countries: string[] | null
  /** Where the product is used. */ platform: string | null
  /** A picture of the product. */ imageUrl: string | null
  /** `id_only` is a top-up of a player, `key` delivers keys. There may be other types. */ deliveryType: string
  amountType: {
    type: 'fixed'
    /** How much of the game’s currency one unit holds. */ value: number
  } | null
  /** True if you can order the product now. */ inStock: boolean
  /** How many units one item can have now; 100: or more; `null`: unknown. */ stock: number | null
  /** The smallest quantity of an item. */ minQuantity: number
  /** The largest quantity of an item. */ maxQuantity: number
  /** The fields of an item’s `deliveryData`. */ deliveryDataSchema: DeliveryField[]
  /** When the product, its availability or your price last changed. */ updatedAt: string
}

export type ProductWithTexts = Product & { texts: ProductTexts | null }

export type ProductTexts = {
  /** The language of the texts, with a script or a region where it has one. */ locale: string
  /** What the product is. */ description: string
  /** How the buyer uses it; `null`: nothing is known. */ redeem: string | null
  /** The conditions under which it is sold; `null`: there are none. */ terms: string | null
}

export type DeliveryField = {
  /** The key in `deliveryData`. */ id: string
  /** A `select` takes one of its `options`. */ type: 'text' | 'number' | 'select'
  /** The name of the field for buyers. */ label: string
  required: boolean
  /** An example of a value. */ placeholder: string | null
  /** The values of a `select`. */ options?: string[] | undefined
}

export type Order = {
  /** The order’s code, for `GET /b2b/orders/{code}`. */ code: string
  /** The same as `code`. */ orderCode: string
  /** Your reference. */ externalOrderId: string
  /** `completed` and `failed` are final. */ status: 'pending' | 'processing' | 'completed' | 'failed'
  outcome: 'full' | 'partial' | 'none' | null
  /**
   * The amount that was charged: the sum of `price × amount` over the items. It never shrinks. At most two decimals.
   */
  totalAmount: number
  /** The part of the charge that was refunded. At most two decimals. */ refundedAmount: number
  /** ISO 4217. */ currency: string
  /** The reference of the charge. */ paymentCode: string
  /** The address of the webhook. */ callbackUrl: string | null
  error: 'ORDER_FAILED' | null
  /** Why the order failed, in Russian, for buyers, without links; `null` if the supplier gave no reason. */
  reason: string | null
  /** When the order was placed. */ createdAt: string
  /** When the order last changed. */ updatedAt: string
  /** When the order became final. */ completedAt: string | null
  /** An item that was delivered in part is split in two: one completed, one failed. */ items: OrderItem[]
  /** The orders of the request: this one. */
  orders: {
    /** The order’s code. */ code: string
    /** The order’s `totalAmount`. At most two decimals. */ total: number
    /** The number of items in the request. */ itemCount: number
  }[]
  /** The status of the webhook; `null` if the order has no event. Only in `GET /b2b/orders/{code}`. */
  deliveries?: Deliveries | null | undefined
}

export type OrderItem = {
  /** The item’s id. */ id: string
  /** The product’s `id`. */ productId: number
  /** The product’s name when you ordered it. */ productName: string
  /** The quantity. */ amount: number
  /** The price per unit. At most two decimals. */ price: number
  /** `completed` and `failed` are final. Treat a status that you do not know as not final. */
  status: 'pending' | 'processing' | 'completed' | 'failed'
  /** The part of the charge that was refunded. At most two decimals. */ refundedAmount: number
  /** Why the item failed, for programs. */ errorCode: string | null
  /** Why the item failed, in Russian, for buyers. */ errorMessage: string | null
  /** The delivered keys of a completed item. Absent in lists. */ cdKeys?: CdKey[] | undefined
  /** When the item became final. */ completedAt: string | null
}

export type CdKey = {
  /** The key. */ code: string
  /** Its PIN; only where the supplier gave one, as the fields below. */ pin?: string | undefined
  /** Its serial number. */ serial?: string | undefined
  /** Where the buyer redeems it. */ url?: string | undefined
  /** When it expires: a date or a time (ISO 8601). */ expiresAt?: string | undefined
}

export type Deliveries = {
  /** The event’s id, the `X-Idempotency-Key` of its deliveries. */ eventId: string
  /**
   * `dead`: a dead letter, not sent again automatically. `held`: the operators hold it back. Treat a state that you do
   * not know as not final.
   */
  state: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held'
  /** The attempts of the present round. */ attempts: number
  /** When the next attempt is due, or was. */ nextAttemptAt: string | null
  /** The status code that your receiver last answered. */ lastStatus: number | null
  /**
   * `http_` and the status code that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response`
   * (not HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost` (the end of the attempt is not known,
   * it counts as a failure). There may be others. `null` if the event was delivered.
   */
  lastError: string | null
}

export type Quote = {
  /** In the order of the request. */ items: QuoteItem[]
  /** The total of the order; `null` if a product is unknown. At most two decimals. */ totalAmount: number | null
  /** ISO 4217. */ currency: string
  /** The present balance. At most two decimals. */ balance: number
  /** `balance` less `totalAmount`; negative if the balance is too low. At most two decimals. */
  balanceAfter: number | null
  /** `null`: the order would be accepted. Otherwise the first check that it would fail. */
  wouldBeRefused: QuoteRefusal | null
}

export type QuoteItem = {
  /** As in the request. */ productId: number
  /** The product’s name; `null`: no such product in your currency. */ productName: string | null
  /** As in the request; default 1. */ quantity: number
  /** The present price per unit; `null` for an unknown product. At most two decimals. */ price: number | null
  /** `price × quantity`. At most two decimals. */ total: number | null
  /** True if you can order the product now. */ available: boolean
}

export type QuoteRefusal = {
  /** The status of the refusal. */ status: 400 | 402 | 422
  /** The `error` of the refusal, for people. */ error: string
  /** The `code` of the refusal. */ code: string
  /** The `details` of the refusal: the fields at fault; for a 402 the balance and the total. */
  details: ({
    /** The field at fault, for example `items[0].productId`; empty for the whole body. */ path: string
    /** What is wrong with the field. */ message: string
    /** The present price, or for `maxTotal` the present total. Absent if `path` is empty. */ price?: number | undefined
  } | ErrorDetail)[] | {
    /** What may be spent in the hour or day. */ limit: number
    /** What was spent in it so far. */ spent: number
    /** The total of the order. */ required: number
    /** In UTC. */ per: 'hour' | 'day'
    /** Whether the limit is of the account or of the key. */ scope: 'account' | 'key'
    /** When the next hour or day begins. */ resetsAt: string
    currency: string
  } | {
    /** The present balance. */ balance: number
    /** The total of the order. */ required: number
    currency: string
  }
}

export type Result = {
  /** The number of the result in the account, from 1 without gaps. */ seq: number
  /** The order’s code. `GET /b2b/orders/{code}` has its keys. */ orderCode: string
  /** Your reference. */ externalOrderId: string
  status: 'completed' | 'failed'
  /** What was delivered. A partial result is `failed`; see `items[].status`. */ outcome: 'full' | 'partial' | 'none'
  /** The amount that was charged. At most two decimals. */ totalAmount: number
  /** The part of the charge that was refunded. At most two decimals. */ refundedAmount: number
  /** ISO 4217. */ currency: string
  /** When the order became final. The sequence of `seq` can differ from it by some seconds. */ completedAt: string
  /**
   * The items of the order, without keys. An item that was delivered in part is split in two: one completed, one
   * failed.
   */
  items: ResultItem[]
}

export type ResultItem = {
  /** The item’s id. */ id: string
  /** The product’s `id`. */ productId: number
  /** The product’s name when you ordered it. */ productName: string
  /** The quantity. */ amount: number
  /** The price per unit. At most two decimals. */ price: number
  status: 'completed' | 'failed'
  /** The part of the charge that was refunded. At most two decimals. */ refundedAmount: number
  /** Why the item failed, for programs. */ errorCode: string | null
}

export type Event = {
  /** The event’s id, the `X-Idempotency-Key` of its deliveries. */ eventId: string
  /**
   * `dead`: a dead letter, not sent again automatically. `held`: the operators hold it back. Treat a state that you do
   * not know as not final.
   */
  state: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held'
  /** The attempts of the present round. */ attempts: number
  /** When the next attempt is due, or was. */ nextAttemptAt: string | null
  /** The status code that your receiver last answered. */ lastStatus: number | null
  /**
   * `http_` and the status code that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response`
   * (not HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost` (the end of the attempt is not known,
   * it counts as a failure). There may be others. `null` if the event was delivered.
   */
  lastError: string | null
  eventType: 'order.completed' | 'order.failed'
  /** The order that the event is about. */ orderCode: string
  /** Your reference of that order. */ externalOrderId: string
  /** The address of the deliveries. */ callbackUrl: string
  /** When the order became final. */ createdAt: string
}

export type Me = {
  account: {
    /** The account’s number. */ id: number
    /** The account’s name. */ name: string
  }
  /** An account in `test` mode can use the simulation endpoints. */ mode: 'live' | 'test'
  /** ISO 4217. */ currency: string
  key: {
    /** The first characters of the key. */ prefix: string
    /** The last four characters of the key. */ last4: string
    /** The operators’ name for the key. */ label: string | null
    /** When the key expires; `null`: never. */ expiresAt: string | null
    /** The origins that may use the key; `null`: no allowlist. */ allowedOrigins: string[] | null
    /** The networks that may use the key; `null`: any. */ allowedIps: string[] | null
  }
  /** The spending limits that hold for the key. */
  limits: ({
    /** Whether the limit is of the account or of the key. */ scope: 'account' | 'key'
    /** In UTC. */ per: 'hour' | 'day'
    /** What may be spent in the hour or day. At most two decimals. */ amount: number
    /** What was spent in it so far. At most two decimals. */ spent: number
    /** When the next hour or day begins. */ resetsAt: string
  })[]
  rateLimit: {
    /** The requests that your address may make in a window of 60 s. */ limit: number
    /** The requests that are left in the window. */ remaining: number
    /** The seconds until the window ends. */ resetSeconds: number
  }
  /** Your IP address as the service sees it. */ address: string
  /** The addresses and networks from which webhooks come; `[]`: they are not fixed. */ webhookAddresses: string[]
}

export type Balance = {
  /** The amount that you can spend. At most two decimals. */ balance: number
  /** ISO 4217. */ currency: string
  /** The sum that is charged on orders that are not final. At most two decimals. */ inOrders: number
  /** True if `balance` is at or below `threshold`. */ lowBalance: boolean
  /** Set by the operators. At most two decimals. */ threshold: number
  /** The time of this balance. */ asOf: string
}

export type Transaction = {
  /** The number of the transaction in the account, without gaps. */ seq: number
  type: 'deposit' | 'order_charge' | 'order_refund' | 'adjustment'
  /** Positive if the balance grew, negative if it shrank. At most two decimals. */ amount: number
  /** The balance after the transaction. At most two decimals. */ balanceAfter: number
  /** ISO 4217. */ currency: string
  /** The order that was charged or refunded. */ orderCode: string | null
  /** Your reference of that order. */ externalOrderId: string | null
  /** The reference of the charge. */ paymentCode: string | null
  /** When the transaction was made. */ createdAt: string
  /** The reference of a deposit or an adjustment, for example an invoice. */ reference: string | null
}

export type Pagination = {
  /** The limit of the request. */ limit: number
  /** The `cursor` of the next page; `null` on the last page. */ nextCursor: string | null
  /** True if there is a next page. */ hasMore: boolean
}

export type CatalogPage = {
  /** By `id`. */ products: Product[]
  pagination: Pagination
}

export type OrderPage = {
  /** Newest first, the items without `cdKeys`. */ orders: Order[]
  pagination: {
    /** The limit of the request. */ limit: number
    /** The `cursor` of the next page; `null` on the last page. */ nextCursor: string | null
    /** True if there is a next page. */ hasMore: boolean
    /** The number of all orders; only with `page`. */ total?: number | undefined
    /** The time of the list, for the pages after this one; only with `page`. */ asOf?: string | undefined
  }
}

export type OrderTimelineAnswer = {
  /** The order’s code. */ code: string
  /** Oldest first. */
  entries: ({
    /** When it happened. */ at: string
    /**
     * `round_started`: you or the operators redelivered the event. `given_up`: the event is a dead letter. Ignore
     * values that you do not know.
     */
    what: 'placed' | 'charged' | 'sent_to_supplier' | 'item_completed' | 'item_failed' | 'order_completed'
      | 'order_failed' | 'refunded' | 'event_created' | 'round_started' | 'delivery_attempt' | 'delivered' | 'given_up'
    /** The item. */ itemId: string | null
    /** The amount of `charged` and `refunded`. At most two decimals. */ amount: number | null
    /** The round of deliveries, from 1. */ round: number | null
    /** The attempt in its round, 1 to 9. */ attempt: number | null
    /** The status code that your receiver answered. */ status: number | null
    /**
     * `http_` and the status code that your receiver answered, `timeout`, `connection_error`, `tls_error`,
     * `bad_response` (not HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost` (the end of the
     * attempt is not known, it counts as a failure). There may be others. `null` if the event was delivered.
     */
    error: string | null
    /** When the retry of a failed attempt was due. */ nextAttemptAt: string | null
  })[]
}

export type ResultPage = {
  /** By `seq`, the lowest first. */ results: Result[]
  /** The `after` of the next request: the last `seq` that you have seen. */ nextAfter: number
  /** The last `seq` of the account. */ lastSeq: number
  /** True if there are results after these. */ hasMore: boolean
}

export type EventPage = {
  /** Newest first. */ events: Event[]
  pagination: Pagination
}

export type RedeliveryCountAnswer = {
  /** The number of events. */ count: number
}

export type TransactionPage = {
  /** Newest first. */ transactions: Transaction[]
  /** The balance before `from`; 0 without `from`. At most two decimals. */ openingBalance: number
  /** The balance at `to`; without `to`, the present balance. At most two decimals. */ closingBalance: number
  pagination: Pagination
}

export type SimulatedOrderAnswer = Order & {
  /** Stands in for the reference of a charge: nothing was charged. */ paymentCode: string
  /** Nothing was spent and nothing was delivered. */ simulated: true
}

export type SimulationAnswer = {
  /** The `X-Idempotency-Key` of the deliveries. */ eventId: string
}

export type SimulationStateAnswer = {
  /** The event’s id. */ eventId: string
  eventType: 'order.completed' | 'order.failed'
  /** The order that the event is about. */ orderCode: string
  /** The address of the deliveries. */ callbackUrl: string
  state: 'waiting' | 'sending' | 'delivered' | 'dead'
  deadReason: 'attempts_exhausted' | 'http_4xx' | 'http_3xx' | 'invalid_url' | 'host_unreachable' | null
  /** When the next delivery is due. */ nextAttemptAt: string | null
  /** When the event was made. */ createdAt: string
  /** When the event was delivered. */ deliveredAt: string | null
  /** When the event became a dead letter. */ deadAt: string | null
  attempts: ({
    /** 1 to 9. */ attempt: number
    /** When the attempt began. */ startedAt: string
    /** When the attempt ended. */ finishedAt: string | null
    outcome: 'delivered' | 'retry' | 'dead' | 'lost' | null
    /** The status code that your receiver answered. */ statusCode: number | null
    /** Why there was no answer. */ error: string | null
    /** The seconds of your `Retry-After`. */ retryAfterSeconds: number | null
    /** When the retry is due. */ nextAttemptAt: string | null
  })[]
}

export type AuthenticationError = {
  error: 'Unauthorized' | 'Forbidden'
  /** The reason. */ message: string
}

export type OriginError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
}

export type BusinessError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  /** What is wrong, for programs. */ code: string
  /** The fields at fault: at most 50 entries. The last one says how many are left out. */
  details?: ErrorDetail[] | undefined
}

export type ErrorDetail = {
  /** The field at fault, for example `items[0].productId`; empty for the whole body. */ path: string
  /** What is wrong with the field. */ message: string
}

export type BalanceError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  code: 'INSUFFICIENT_BALANCE'
  details: {
    /** The present balance. */ balance: number
    /** The total of the order. */ required: number
    currency: string
  }
}

export type LimitError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  code: 'SPENDING_LIMIT'
  details: {
    /** What may be spent in the hour or day. */ limit: number
    /** What was spent in it so far. */ spent: number
    /** The total of the order. */ required: number
    /** In UTC. */ per: 'hour' | 'day'
    /** Whether the limit is of the account or of the key. */ scope: 'account' | 'key'
    /** When the next hour or day begins. */ resetsAt: string
    currency: string
  }
}

export type IdempotencyError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  code: 'IDEMPOTENCY_KEY_REUSED'
  /** The fields that differ. */ details: ErrorDetail[]
  /** The order with this idempotency key. */ orderCode: string
}

export type PriceError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  code: 'PRICE_CHANGED'
  details: ({
    /** The field at fault, for example `items[0].productId`; empty for the whole body. */ path: string
    /** What is wrong with the field. */ message: string
    /** The present price, or for `maxTotal` the present total. Absent if `path` is empty. */ price?: number | undefined
  })[]
}

export type RateLimitError = {
  success: false
  /** What is wrong, for people. The text may change; `code` and the status do not. */ error: string
  /** The `X-Request-Id` of the answer. Name it when you ask the operators. */ requestId?: string | undefined
  code: 'RATE_LIMITED'
  /** The seconds to wait, as in `Retry-After`. */ retryAfter: number
}

export type OrderCompletedEvent = {
  /** Equals `X-Idempotency-Key`; the same in every delivery of the event. */ event_id: string
  event_type: 'order.completed'
  /** When the order became final. */ occurred_at: string
  data: {
    /** The order’s code. */ orderCode: string
    /** Your reference. */ externalOrderId: string
    /** The amount that was charged. At most two decimals. */ totalAmount: number
    status: 'completed'
    items: EventItem[]
    /** When the order became final. */ completedAt: string
  }
}

export type OrderFailedEvent = {
  /** Equals `X-Idempotency-Key`; the same in every delivery of the event. */ event_id: string
  event_type: 'order.failed'
  /** When the order became final. */ occurred_at: string
  data: {
    /** The order’s code. */ orderCode: string
    /** Your reference. */ externalOrderId: string
    /** The amount that was charged. At most two decimals. */ totalAmount: number
    status: 'failed'
    /** Always this text: for programs. */ error: 'ORDER_FAILED'
    /** Why the order failed, in Russian, for buyers, without links; `null` if the supplier gave no reason. */
    reason: string | null
    /** When the order became final. */ completedAt: string
  }
}

export type EventItem = {
  /** The product’s name. */ productName: string
  /** The quantity. */ amount: number
  /** The price per unit. At most two decimals. */ price: number
  /** The keys, if the product delivers keys. */ cdKeys?: CdKey[] | undefined
}

export type ListTransactionsQuery = {
  /** How many to give. */ limit?: number | undefined
  /** The `nextCursor` of the page before. */ cursor?: string | undefined
  /** The earliest time of creation. ISO 8601; a date alone is its first moment. */ from?: string | undefined
  /** The latest time of creation, inclusive. A date alone is its first moment. */ to?: string | undefined
}

export type ListGamesQuery = {
  /** Only what has changed since then. ISO 8601; a date alone is its first moment. */ updatedSince?: string | undefined
}

export type ListProductsQuery = {
  /** Only products of this `deliveryType`. */ deliveryType?: string | undefined
  /** Only what has changed since then. ISO 8601; a date alone is its first moment. */ updatedSince?: string | undefined
  /** How many to give. */ limit?: number | undefined
  /** The `cursor` in the `Link` header of the page before. */ cursor?: string | undefined
}

export type ListCatalogQuery = {
  /** Only what has changed since then. ISO 8601; a date alone is its first moment. */ updatedSince?: string | undefined
  /** How many to give. */ limit?: number | undefined
  /** The `nextCursor` of the page before. */ cursor?: string | undefined
}

export type GetProductQuery = {
  /** The language of the `texts`. */ locale?: string | undefined
}

export type ListOrdersQuery = {
  /** How many to give. */ limit?: number | undefined
  /** The `nextCursor` of the page before. */ cursor?: string | undefined
  /** The page by its number, from 1, instead of a cursor. It adds `pagination.total` and `pagination.asOf`. */
  page?: number | undefined
  /**
   * The `asOf` of the first `page`, for the pages after it: orders that were placed since are left out, so that they
   * shift nothing.
   */
  asOf?: string | undefined
  /** Only orders in this status. */ status?: 'pending' | 'processing' | 'completed' | 'failed' | undefined
  /** Only orders with this reference of yours. */ externalOrderId?: string | undefined
  /** The earliest time of creation. ISO 8601; a date alone is its first moment. */ createdFrom?: string | undefined
  /** The latest time of creation, inclusive. A date alone is its first moment. */ createdTo?: string | undefined
}

export type ListResultsQuery = {
  /** The `nextAfter` of the answer before: only results with a higher `seq` are given. */ after?: number | undefined
  /** How many to give. */ limit?: number | undefined
  /** How many seconds to wait for a result where there is none. */ wait?: number | undefined
}

export type ListEventsQuery = {
  /** Only events in this state. */ state?: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held' | undefined
  /** Only events that were made since then. */ since?: string | undefined
  /** How many to give. */ limit?: number | undefined
  /** The `nextCursor` of the page before. */ cursor?: string | undefined
}
