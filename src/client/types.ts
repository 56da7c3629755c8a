// Generated from the OpenAPI document by src/site/openapi/generate_client_types.ts. Do not edit.

export type OrderRequest = {
  items: OrderRequestItem[]
  /** Your own reference of the order, and its idempotency key where no header gives another: unique permanently. */
  externalOrderId: string
  /** Where the result is sent, as a webhook. http or https, a public host, no credentials in it; the final address, for redirects are not followed. */
  callbackUrl?: string | null | undefined
  /** The most that the order may cost in all. Above it, it is refused as `PRICE_CHANGED`. */
  maxTotal?: number | null | undefined
}

export type OrderRequestItem = {
  /** The `id` of a product of the catalog. */
  productId: number
  /** How many; the product says how many at most (`maxQuantity`). */
  quantity?: number | null | undefined
  /** Required as far as the product’s `deliveryDataSchema` has required fields. */
  deliveryData?: DeliveryData | null | undefined
  /** The most that one may cost. Where the price is higher, the order is refused as `PRICE_CHANGED`. */
  maxPrice?: number | null | undefined
}

export type QuoteRequest = {
  items: OrderRequestItem[]
  /** Where the result is sent, as a webhook. http or https, a public host, no credentials in it; the final address, for redirects are not followed. */
  callbackUrl?: string | null | undefined
  /** The most that the order may cost in all. Above it, it is refused as `PRICE_CHANGED`. */
  maxTotal?: number | null | undefined
}

/** What the delivery needs, by the ids of the product’s `deliveryDataSchema`; for a top-up the player as `gameUserId`. Other keys are passed on to the supplier. `null` counts as absent. Keys named `__proto__`, `constructor` or `prototype` are refused, and whole numbers beyond 2^53 have to be texts. */
export type DeliveryData = { [name: string]: string | number | boolean | null }

export type SimulationRequest = {
  /** Where the event is sent; the rules are those of an order’s `callbackUrl`. */
  callbackUrl: string
  eventType: 'order.completed' | 'order.failed'
  /** An order of yours that ended so: the event is about it then, unless it would be larger than 64 KiB, which is refused. With any other code, or none, it holds sample data. */
  orderCode?: string | null | undefined
}

export type RedeliveryRequest = {
  /** Where the event goes from now on, if its address was wrong; the rules are those of an order’s `callbackUrl`. */
  callbackUrl?: string | null | undefined
}

export type RedeliverDeadRequest = {
  /** Only dead events are sent again together. */
  state: 'dead'
  /** Events that died since then, an ISO 8601 date or time. */
  since: string
  /** With `true`, the events are only counted. */
  dryRun?: boolean | null | undefined
}

export type Game = {
  /** The game’s number. */
  id: number
  /** The game’s name in addresses. */
  slug: string
  /** The game’s name for people. */
  name: string
  /** A picture. */
  imageUrl: string | null
  /** The `deliveryType`s of its products. */
  deliveryTypes: string[]
  /** How many products its list of products holds. */
  productCount: number
}

export type GameList = {
  success: true
  data: Game[]
}

export type Product = {
  /** The `productId` of orders. */
  id: number
  /** The game it belongs to. */
  gameSlug: string
  /** The name for people. */
  name: string
  /** The name in the form that stands in addresses. */
  slug: string
  /** What one costs you. At most two decimals. */
  wholesalePrice: number
  /** ISO 4217. */
  currency: string
  /** Where it can be used; `null`: anywhere. */
  region: string | null
  /** `id_only` is a top-up to a player, `key` delivers keys. There may be others. */
  deliveryType: string
  amountType: {
    type: 'fixed'
    /** How much of the game’s currency one unit holds. */
    value: number
  } | null
  /** Whether it can be ordered now. */
  inStock: boolean
  /** The smallest quantity of an item. */
  minQuantity: number
  /** The largest quantity of an item. */
  maxQuantity: number
  /** The fields that an item’s `deliveryData` takes. */
  deliveryDataSchema: DeliveryField[]
  /** When it, or what makes it available, last changed. */
  updatedAt: string
}

export type DeliveryField = {
  /** The key in `deliveryData`. */
  id: string
  /** A `select` takes one of its `options`. */
  type: 'text' | 'number' | 'select'
  /** What to ask a buyer for. */
  label: string
  required: boolean
  /** An example of a value. */
  placeholder: string | null
  /** Only for a `select`. */
  options?: string[] | undefined
}

export type ProductList = {
  success: true
  data: Product[]
}

export type ProductAnswer = {
  success: true
  data: Product
}

export type CatalogPage = {
  success: true
  data: {
    /** By `id`. */
    products: Product[]
    pagination: {
      /** How many were asked for. */
      limit: number
      /** The `cursor` of the next page; `null` on the last one. */
      nextCursor: string | null
      /** Whether there is a next page. */
      hasMore: boolean
    }
  }
}

export type Order = {
  /** The order’s code, for `GET /b2b/orders/{code}`. */
  code: string
  /** The same. */
  orderCode: string
  /** Your own reference. */
  externalOrderId: string
  /** `completed` and `failed` are final. */
  status: 'pending' | 'processing' | 'completed' | 'failed'
  /** What was delivered, once the order is final. A partial result is `failed`. */
  outcome: 'full' | 'partial' | 'none' | null
  /** What was charged: the sum of `price × amount` over the items. It never shrinks. At most two decimals. */
  totalAmount: number
  /** What of it came back to the balance. At most two decimals. */
  refundedAmount: number
  /** ISO 4217. */
  currency: string
  /** The reference of the charge. */
  paymentCode: string
  /** Where the result is sent. */
  callbackUrl: string | null
  /** Always `ORDER_FAILED` where the order failed. */
  error: 'ORDER_FAILED' | null
  /** Why it failed, in Russian, for buyers, without links; `null` if the supplier gave no reason. */
  reason: string | null
  /** When it was placed. */
  createdAt: string
  /** When it last changed. */
  updatedAt: string
  /** When it became final. */
  completedAt: string | null
  /** Of an item of which only a part was delivered there are two: one completed, one failed. */
  items: OrderItem[]
  /** The orders that the request made: this one. */
  orders: {
    /** The order’s code. */
    code: string
    /** Its `totalAmount`. At most two decimals. */
    total: number
    /** How many items were ordered. */
    itemCount: number
  }[]
  /** How far its event is with its delivery; `null` where it has no event. Only where one order is read by its code. */
  deliveries?: Deliveries | null | undefined
}

export type OrderItem = {
  /** The item’s id. */
  id: string
  /** The product’s `id`. */
  productId: number
  /** The product’s name when it was ordered. */
  productName: string
  /** The quantity. */
  amount: number
  /** What one cost. At most two decimals. */
  price: number
  /** `completed` and `failed` are final. Take one that you do not know as not final. */
  status: 'pending' | 'processing' | 'completed' | 'failed'
  /** What of it came back to the balance. At most two decimals. */
  refundedAmount: number
  /** Why it failed, for programs. */
  errorCode: string | null
  /** Why it failed, in Russian, for buyers. */
  errorMessage: string | null
  /** The delivered keys: of completed items of key products, and not in lists. */
  cdKeys?: CdKey[] | undefined
  /** When it became final. */
  completedAt: string | null
}

export type CdKey = {
  /** The key. */
  code: string
}

export type OrderAnswer = {
  success: true
  data: Order
}

export type Deliveries = {
  /** The event’s id, the `X-Idempotency-Key` of its deliveries. */
  eventId: string
  /** `dead`: nothing sends it again by itself. `held`: the operators keep it back for now. Take one that you do not know as not final. */
  state: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held'
  /** How often it was tried in the present round. */
  attempts: number
  /** When the next attempt is due, or was. */
  nextAttemptAt: string | null
  /** What your receiver last answered. */
  lastStatus: number | null
  /** `http_` and the status that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response` (no HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost`: the end of the attempt is not known, it counts as a failure. There may be others. `null` where it was delivered. */
  lastError: string | null
}

export type OrderTimelineAnswer = {
  success: true
  data: {
    /** The order’s code. */
    code: string
    /** In order of time. */
    entries: ({
      /** When it happened. */
      at: string
      /** `round_started`: the event is sent again, as you or the operators asked. `given_up`: the event is a dead letter. There may be others; pass over what you do not know. */
      what: 'placed' | 'charged' | 'sent_to_supplier' | 'item_completed' | 'item_failed' | 'order_completed' | 'order_failed' | 'refunded' | 'event_created' | 'round_started' | 'delivery_attempt' | 'delivered' | 'given_up'
      /** The item that it is about. */
      itemId: string | null
      /** Of `charged` and `refunded`: how much. At most two decimals. */
      amount: number | null
      /** Of deliveries: the round, from 1. */
      round: number | null
      /** Of deliveries: which attempt of the round, 1 to 9. */
      attempt: number | null
      /** Of an attempt: what your receiver answered. */
      status: number | null
      /** `http_` and the status that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response` (no HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost`: the end of the attempt is not known, it counts as a failure. There may be others. `null` where it was delivered. */
      error: string | null
      /** Of an attempt that failed: for when the next one was planned. */
      nextAttemptAt: string | null
    })[]
  }
}

export type RedeliveryAnswer = {
  success: true
  data: Deliveries
}

export type RedeliveryCountAnswer = {
  success: true
  data: {
    /** How many events it concerns. */
    count: number
  }
}

export type Event = {
  /** The event’s id, the `X-Idempotency-Key` of its deliveries. */
  eventId: string
  /** `dead`: nothing sends it again by itself. `held`: the operators keep it back for now. Take one that you do not know as not final. */
  state: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held'
  /** How often it was tried in the present round. */
  attempts: number
  /** When the next attempt is due, or was. */
  nextAttemptAt: string | null
  /** What your receiver last answered. */
  lastStatus: number | null
  /** `http_` and the status that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response` (no HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost`: the end of the attempt is not known, it counts as a failure. There may be others. `null` where it was delivered. */
  lastError: string | null
  eventType: 'order.completed' | 'order.failed'
  /** The order that it is about. */
  orderCode: string
  /** Your own reference of that order. */
  externalOrderId: string
  /** Where it is sent. */
  callbackUrl: string
  /** When it was made: when the order ended. */
  createdAt: string
}

export type EventAnswer = {
  success: true
  data: Event
}

export type EventPage = {
  success: true
  data: {
    /** Newest first. */
    events: Event[]
    pagination: {
      /** How many were asked for. */
      limit: number
      /** The `cursor` of the next page; `null` on the last one. */
      nextCursor: string | null
      /** Whether there is a next page. */
      hasMore: boolean
    }
  }
}

export type Me = {
  account: {
    /** The account’s number. */
    id: number
    /** The account’s name. */
    name: string
  }
  /** On an account in `test` mode the simulation endpoints are open. */
  mode: 'live' | 'test'
  /** ISO 4217. */
  currency: string
  key: {
    /** The first characters of the key. */
    prefix: string
    /** Its last four characters. */
    last4: string
    /** What the operators call it. */
    label: string | null
    /** When it expires; `null`: never. */
    expiresAt: string | null
    /** The origins that may use it; `null`: any that the service allows. */
    allowedOrigins: string[] | null
    /** The networks that may use it; `null`: any. */
    allowedIps: string[] | null
  }
  rateLimit: {
    /** How many requests the address may make in a window of 60 s. */
    limit: number
    /** How many of them are left. */
    remaining: number
    /** The seconds until the window ends. */
    resetSeconds: number
  }
  /** The address that the service sees the request come from. */
  address: string
}

export type MeAnswer = {
  success: true
  data: Me
}

export type OrderPage = {
  success: true
  data: {
    /** Newest first, their items without `cdKeys`. */
    orders: Order[]
    pagination: {
      /** How many were asked for. */
      limit: number
      /** The `cursor` of the next page; `null` on the last one. */
      nextCursor: string | null
      /** Whether there is a next page. */
      hasMore: boolean
      /** How many there are in all; only where a `page` was asked for. */
      total?: number | undefined
      /** Names the moment of the list, for the pages after this one; only where a `page` was asked for. */
      asOf?: string | undefined
    }
  }
}

export type Quote = {
  items: QuoteItem[]
  /** What the order would cost: the sum of the items. `null` where a product is not known. At most two decimals. */
  totalAmount: number | null
  /** ISO 4217. */
  currency: string
  /** What can be spent now. At most two decimals. */
  balance: number
  /** `balance` less `totalAmount`; negative where it does not suffice. At most two decimals. */
  balanceAfter: number | null
  /** `null`: the order would be accepted. Otherwise the first of the checks that it would fail. */
  wouldBeRefused: QuoteRefusal | null
}

export type QuoteItem = {
  /** As in the request. */
  productId: number
  /** The product’s name; `null`: there is no such product in your currency. */
  productName: string | null
  /** As in the request; 1 unless given. */
  quantity: number
  /** What one costs now; `null` where the product is not known. At most two decimals. */
  price: number | null
  /** `price × quantity`. At most two decimals. */
  total: number | null
  /** Whether the product can be ordered now. */
  available: boolean
}

export type QuoteRefusal = {
  /** The status of the answer that the order would get. */
  status: 400 | 402 | 422
  /** Its `error`, for people. */
  error: string
  /** Its `code`. */
  code: string
  /** Its `details`: the fields at fault; of a 402, what there is and what the order would cost. */
  details: ({
    /** The place, as `items[0].productId`; empty for the whole body. */
    path: string
    /** What is wrong there. */
    message: string
    /** The present price, or the present total for `maxTotal`. Absent where `path` is empty. */
    price?: number | undefined
  } | ErrorDetail)[] | {
    /** What there is. */
    balance: number
    /** What the order would cost. */
    required: number
    currency: string
  }
}

export type QuoteAnswer = {
  success: true
  data: Quote
}

export type Result = {
  /** Counts the account’s results from 1 without gaps. */
  seq: number
  /** The order’s code, for `GET /b2b/orders/{code}`, which has its keys. */
  orderCode: string
  /** Your own reference. */
  externalOrderId: string
  status: 'completed' | 'failed'
  /** What was delivered. A partial result is `failed`: the items say which of them was delivered. */
  outcome: 'full' | 'partial' | 'none'
  /** What was charged. At most two decimals. */
  totalAmount: number
  /** What of it came back to the balance. At most two decimals. */
  refundedAmount: number
  /** ISO 4217. */
  currency: string
  /** When the order became final. The order of `seq` can differ from it by some seconds. */
  completedAt: string
  /** The items of the order, in its order and with their ids there, but without keys. Of an item of which only a part was delivered there are two: one completed, one failed. */
  items: ResultItem[]
}

export type ResultItem = {
  /** The item’s id. */
  id: string
  /** The product’s `id`. */
  productId: number
  /** The product’s name when it was ordered. */
  productName: string
  /** The quantity. */
  amount: number
  /** What one cost. At most two decimals. */
  price: number
  status: 'completed' | 'failed'
  /** What of it came back to the balance. At most two decimals. */
  refundedAmount: number
  /** Why it failed, for programs. */
  errorCode: string | null
}

export type ResultPage = {
  success: true
  data: {
    /** By `seq`, the lowest first. */
    results: Result[]
    /** The `after` of the next request: the last `seq` that you have seen. */
    nextAfter: number
    /** The last number of the account. */
    lastSeq: number
    /** Whether there are results after these already. */
    hasMore: boolean
  }
}

export type Balance = {
  /** What can be spent. At most two decimals. */
  balance: number
  /** ISO 4217. */
  currency: string
  /** What is charged on orders that are not final. At most two decimals. */
  inOrders: number
  /** Whether `balance` is at or below `threshold`. */
  lowBalance: boolean
  /** Set by the operators. At most two decimals. */
  threshold: number
  /** When this was so. */
  asOf: string
}

export type BalanceAnswer = {
  success: true
  data: Balance
}

export type Transaction = {
  /** Counts the account’s transactions without gaps. */
  seq: number
  type: 'deposit' | 'order_charge' | 'order_refund' | 'adjustment'
  /** Positive where the balance grew, negative where it shrank. At most two decimals. */
  amount: number
  /** The balance after it. At most two decimals. */
  balanceAfter: number
  /** ISO 4217. */
  currency: string
  /** The order that was charged or refunded. */
  orderCode: string | null
  /** Your own reference of that order. */
  externalOrderId: string | null
  /** The reference of the charge. */
  paymentCode: string | null
  /** When it was made. */
  createdAt: string
  /** Of a deposit or an adjustment: under what it was booked, as an invoice. */
  reference: string | null
}

export type TransactionPage = {
  success: true
  data: {
    /** Newest first. */
    transactions: Transaction[]
    /** The balance before `from`; 0 without it. At most two decimals. */
    openingBalance: number
    /** The balance at `to`; without it, the present one. At most two decimals. */
    closingBalance: number
    pagination: {
      /** How many were asked for. */
      limit: number
      /** The `cursor` of the next page; `null` on the last one. */
      nextCursor: string | null
      /** Whether there is a next page. */
      hasMore: boolean
    }
  }
}

export type SimulatedOrderAnswer = {
  success: true
  data: {
    /** The order’s code, for `GET /b2b/orders/{code}`. */
    code: string
    /** The same. */
    orderCode: string
    /** Your own reference. */
    externalOrderId: string
    /** `completed` and `failed` are final. */
    status: 'pending' | 'processing' | 'completed' | 'failed'
    /** What was delivered, once the order is final. A partial result is `failed`. */
    outcome: 'full' | 'partial' | 'none' | null
    /** What was charged: the sum of `price × amount` over the items. It never shrinks. At most two decimals. */
    totalAmount: number
    /** What of it came back to the balance. At most two decimals. */
    refundedAmount: number
    /** ISO 4217. */
    currency: string
    /** In the place of the reference of a charge: nothing was charged. */
    paymentCode: string
    /** Where the result is sent. */
    callbackUrl: string | null
    /** Always `ORDER_FAILED` where the order failed. */
    error: 'ORDER_FAILED' | null
    /** Why it failed, in Russian, for buyers, without links; `null` if the supplier gave no reason. */
    reason: string | null
    /** When it was placed. */
    createdAt: string
    /** When it last changed. */
    updatedAt: string
    /** When it became final. */
    completedAt: string | null
    /** Of an item of which only a part was delivered there are two: one completed, one failed. */
    items: OrderItem[]
    /** The orders that the request made: this one. */
    orders: {
      /** The order’s code. */
      code: string
      /** Its `totalAmount`. At most two decimals. */
      total: number
      /** How many items were ordered. */
      itemCount: number
    }[]
    /** How far its event is with its delivery; `null` where it has no event. Only where one order is read by its code. */
    deliveries?: Deliveries | null | undefined
    /** It is no order: nothing was spent, and nothing delivered. */
    simulated: true
  }
}

export type SimulationAnswer = {
  success: true
  data: {
    /** The `X-Idempotency-Key` of the deliveries. */
    eventId: string
  }
}

export type SimulationStateAnswer = {
  success: true
  data: {
    /** The event’s id. */
    eventId: string
    eventType: 'order.completed' | 'order.failed'
    /** The order that the event is about. */
    orderCode: string
    /** Where it is sent. */
    callbackUrl: string
    state: 'waiting' | 'sending' | 'delivered' | 'dead'
    /** Why it was given up. `host_unreachable`: the name does not resolve, or not to public addresses alone; this is shown 15 s after the attempt began, whenever it ended. */
    deadReason: 'attempts_exhausted' | 'http_4xx' | 'http_3xx' | 'invalid_url' | 'host_unreachable' | null
    /** When the next delivery is due. */
    nextAttemptAt: string | null
    /** When it was made. */
    createdAt: string
    /** When it was delivered. */
    deliveredAt: string | null
    /** When it was given up. */
    deadAt: string | null
    attempts: ({
      /** 1 to 9. */
      attempt: number
      /** When it began. */
      startedAt: string
      /** When it ended. */
      finishedAt: string | null
      /** `null` while it is under way; `lost` where its end is not known, which counts as a failure. */
      outcome: 'delivered' | 'retry' | 'dead' | 'lost' | null
      /** What your receiver answered. */
      statusCode: number | null
      /** Why there was no answer. */
      error: string | null
      /** Your `Retry-After`, as it was understood. */
      retryAfterSeconds: number | null
      /** When it is tried again. */
      nextAttemptAt: string | null
    })[]
  }
}

export type AuthenticationError = {
  error: 'Unauthorized' | 'Forbidden'
  /** Why. */
  message: string
}

export type OriginError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
}

export type BusinessError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
  /** The `X-Request-Id` of the answer: name it when you ask the operators. */
  requestId?: string | undefined
  /** What is wrong, for programs. */
  code: string
  /** The fields at fault, where there are any: at most 50 entries, of which the last says how many more there are. */
  details?: ErrorDetail[] | undefined
}

export type ErrorDetail = {
  /** The place, as `items[0].productId`; empty for the whole body. */
  path: string
  /** What is wrong there. */
  message: string
}

export type BalanceError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
  /** The `X-Request-Id` of the answer: name it when you ask the operators. */
  requestId?: string | undefined
  code: 'INSUFFICIENT_BALANCE'
  details: {
    /** What there is. */
    balance: number
    /** What the order would cost. */
    required: number
    currency: string
  }
}

export type IdempotencyError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
  /** The `X-Request-Id` of the answer: name it when you ask the operators. */
  requestId?: string | undefined
  code: 'IDEMPOTENCY_KEY_REUSED'
  /** The fields that differ. */
  details: ErrorDetail[]
  /** The order that the key belongs to. */
  orderCode: string
}

export type PriceError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
  /** The `X-Request-Id` of the answer: name it when you ask the operators. */
  requestId?: string | undefined
  code: 'PRICE_CHANGED'
  details: ({
    /** The place, as `items[0].productId`; empty for the whole body. */
    path: string
    /** What is wrong there. */
    message: string
    /** The present price, or the present total for `maxTotal`. Absent where `path` is empty. */
    price?: number | undefined
  })[]
}

export type RateLimitError = {
  success: false
  /** What is wrong, for people. It may change; `code` and the status do not. */
  error: string
  /** The `X-Request-Id` of the answer: name it when you ask the operators. */
  requestId?: string | undefined
  code: 'RATE_LIMITED'
  /** Seconds, as in `Retry-After`. */
  retryAfter: number
}

export type OrderCompletedEvent = {
  /** Equals `X-Idempotency-Key`; the same in every delivery of the event. */
  event_id: string
  event_type: 'order.completed'
  /** When the order became final. */
  occurred_at: string
  data: {
    /** The order’s code. */
    orderCode: string
    /** Your own reference. */
    externalOrderId: string
    /** What was charged. */
    totalAmount: number
    status: 'completed'
    items: EventItem[]
    /** When the order became final. */
    completedAt: string
  }
}

export type OrderFailedEvent = {
  /** Equals `X-Idempotency-Key`; the same in every delivery of the event. */
  event_id: string
  event_type: 'order.failed'
  /** When the order became final. */
  occurred_at: string
  data: {
    /** The order’s code. */
    orderCode: string
    /** Your own reference. */
    externalOrderId: string
    /** What was charged. */
    totalAmount: number
    status: 'failed'
    /** Always this text: for programs. */
    error: 'ORDER_FAILED'
    /** Why, in Russian, for buyers, without links; `null` if the supplier gave no reason. */
    reason: string | null
    /** When the order became final. */
    completedAt: string
  }
}

export type EventItem = {
  /** The product’s name. */
  productName: string
  /** The quantity. */
  amount: number
  /** What one cost. */
  price: number
  /** The keys, of a product that delivers keys. A top-up has none. */
  cdKeys?: CdKey[] | undefined
}

export type ListGamesQuery = {
  /** Only what has changed since then, an ISO 8601 date or time. */
  updatedSince?: string | undefined
}

export type ListProductsQuery = {
  /** Only products of this `deliveryType`. */
  deliveryType?: string | undefined
  /** Only what has changed since then, an ISO 8601 date or time. */
  updatedSince?: string | undefined
}

export type ListCatalogQuery = {
  /** Only what has changed since then, an ISO 8601 date or time. */
  updatedSince?: string | undefined
  /** How many to give. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export type ListOrdersQuery = {
  /** How many to give. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** The page by its number, from 1, instead of a cursor. It adds `pagination.total` and `pagination.asOf`. */
  page?: number | undefined
  /** The `asOf` of the first `page`, for the pages after it: orders that were placed since are left out, so that they shift nothing. */
  asOf?: string | undefined
  /** Only orders in this status. */
  status?: 'pending' | 'processing' | 'completed' | 'failed' | undefined
  /** Only orders with this reference of yours. */
  externalOrderId?: string | undefined
  /** The earliest time of creation, ISO 8601; UTC unless it has a zone. */
  createdFrom?: string | undefined
  /** The latest time of creation, itself included. */
  createdTo?: string | undefined
}

export type ListEventsQuery = {
  /** Only events in this state. */
  state?: 'waiting' | 'sending' | 'delivered' | 'dead' | 'held' | undefined
  /** Only events that were made since then. */
  since?: string | undefined
  /** How many to give. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
}

export type ListResultsQuery = {
  /** The `nextAfter` of the answer before: only results with a higher `seq` are given. */
  after?: number | undefined
  /** How many to give. */
  limit?: number | undefined
  /** How many seconds to wait for a result where there is none. */
  wait?: number | undefined
}

export type ListTransactionsQuery = {
  /** How many to give. */
  limit?: number | undefined
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined
  /** The earliest time of creation, ISO 8601; UTC unless it has a zone. */
  from?: string | undefined
  /** The latest time of creation, itself included. */
  to?: string | undefined
}
