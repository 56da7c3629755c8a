import { placeOrder } from './place_order.ts'
import { retry, systemClock } from './retry.ts'
import {
  type Call,
  createTarget,
  isAstray,
  newRequestId,
  type Query,
  send,
  type Target,
} from './transport.ts'
import type {
  Balance,
  CatalogPage,
  Deliveries,
  Event,
  EventPage,
  Game,
  ListCatalogQuery,
  ListEventsQuery,
  ListGamesQuery,
  ListOrdersQuery,
  ListProductsQuery,
  ListResultsQuery,
  ListTransactionsQuery,
  Me,
  Order,
  OrderPage,
  OrderRequest,
  OrderTimelineAnswer,
  Product,
  Quote,
  QuoteRequest,
  RedeliverDeadRequest,
  RedeliveryCountAnswer,
  RedeliveryRequest,
  Result,
  ResultPage,
  SimulatedOrderAnswer,
  SimulationAnswer,
  SimulationRequest,
  SimulationStateAnswer,
  Transaction,
  TransactionPage,
} from './types.ts'

export type CallOptions = {
  /** Ends the call: it rejects with the signal's reason, or, if an order may have been placed, with an UnknownOutcomeError. */
  signal?: AbortSignal | undefined
  /** How long one request may take, with its answer, in milliseconds. */
  timeoutMs?: number
  /** No request is sent again later than this after the first, in milliseconds. 0: none is sent again. */
  giveUpAfterMs?: number
}

export type ClientOptions = Omit<CallOptions, 'signal'> & {
  /** Where the service is, as `https://supply.example`. A path in it is kept: `https://proxy.example/supply`. */
  baseUrl: string | URL
  apiKey: string
  /** Called before each wait for another try, for your log. */
  onRetry?: (retry: { attempt: number; delayMs: number; error: Error }) => void
  /** Another `fetch` than the global one, as to use a proxy. */
  fetch?: typeof globalThis.fetch
}

export type PlaceOptions = CallOptions & {
  /** The idempotency key; the order's `externalOrderId`, unless given. */
  idempotencyKey?: string
}

/**
 * A partner's side of the service. What cannot be answered now is asked again, for 90 s unless told otherwise, after
 * what `Retry-After` says, with growing, random delays. Refusals are thrown as RefusedError, the lack of an answer as
 * NoAnswerError.
 */
export class SupplyClient {
  // Private to the language: neither console.log nor JSON.stringify shows the key.
  readonly #target: Target
  readonly #defaults: Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'fetch'>

  constructor({ baseUrl, apiKey, fetch = globalThis.fetch, ...defaults }: ClientOptions) {
    this.#target = createTarget(baseUrl, apiKey, fetch)
    this.#defaults = defaults
  }

  /** The games of the catalog. */
  games(query: ListGamesQuery = {}, options?: CallOptions): Promise<Game[]> {
    return this.#get('/b2b/catalog/games', query, options)
  }

  /** The products of a game, by its slug. */
  products(slug: string, query: ListProductsQuery = {}, options?: CallOptions): Promise<Product[]> {
    return this.#get(`/b2b/catalog/games/${encodeURIComponent(slug)}/products`, query, options)
  }

  /** The products of all games, by id, page after page; with `updatedSince` what has changed since then. */
  async *catalog(
    query: Omit<ListCatalogQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Product, void, undefined> {
    for await (const { products } of pages((cursor) => this.catalogPage({ ...query, cursor }, options)))
      yield* products
  }

  /** One page of the products of all games; 1,000 unless `limit` says otherwise. */
  catalogPage(query: ListCatalogQuery = {}, options?: CallOptions): Promise<CatalogPage['data']> {
    return this.#get('/b2b/catalog/products', { limit: 1000, ...query }, options)
  }

  /** One product. */
  product(id: number, options?: CallOptions): Promise<Product> {
    return this.#get(`/b2b/catalog/products/${encodeURIComponent(id)}`, {}, options)
  }

  /** What an order would cost now, and with what it would be refused, if so. Nothing is placed or reserved. */
  quote(order: QuoteRequest, options?: CallOptions): Promise<Quote> {
    return this.#post('/b2b/orders/quote', order, options)
  }

  /**
   * Places an order, once, however often it has to be sent: each time with the same bytes and the same idempotency key,
   * which is the `externalOrderId` unless you give another. Store that before you call. An order that was placed before
   * under this key is returned as it is now.
   *
   * Throws a RefusedError where nothing was placed and nothing charged, and an UnknownOutcomeError where that is not
   * known after all tries and a look-up: call again later, with the very same order and key.
   */
  placeOrder(order: OrderRequest, options?: PlaceOptions): Promise<Order> {
    return placeOrder(this.#target, { path: '/b2b/orders', hasLookUp: true }, order, this.#with(options))
  }

  /** An order as it is now, with the keys that were delivered. */
  order(code: string, options?: CallOptions): Promise<Order> {
    return this.#get(`/b2b/orders/${encodeURIComponent(code)}`, {}, options)
  }

  /** What happened to an order, in order of time. */
  timeline(code: string, options?: CallOptions): Promise<OrderTimelineAnswer['data']> {
    return this.#get(`/b2b/orders/${encodeURIComponent(code)}/timeline`, {}, options)
  }

  /** The account and the key, what is left of the rate limit, and the address that the service sees. */
  me(options?: CallOptions): Promise<Me> {
    return this.#get('/b2b/me', {}, options)
  }

  /** The events about the account's orders, newest first, page after page. */
  async *events(
    query: Omit<ListEventsQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Event, void, undefined> {
    for await (const { events } of pages((cursor) => this.eventPage({ ...query, cursor }, options)))
      yield* events
  }

  /** One page of the events; 100 unless `limit` says otherwise. */
  eventPage(query: ListEventsQuery = {}, options?: CallOptions): Promise<EventPage['data']> {
    return this.#get('/b2b/events', { limit: 100, ...query }, options)
  }

  /** One event, with the state of its delivery. */
  event(eventId: string, options?: CallOptions): Promise<Event> {
    return this.#get(`/b2b/events/${encodeURIComponent(eventId)}`, {}, options)
  }

  /**
   * Has an event sent again that was delivered or given up, at most once a minute; to another address from now on, if one
   * is given. It is not repeated.
   */
  redeliver(eventId: string, request: RedeliveryRequest = {}, options?: CallOptions): Promise<Deliveries> {
    const path = `/b2b/events/${encodeURIComponent(eventId)}/redeliver`
    return this.#post(path, request, { ...options, giveUpAfterMs: 0 })
  }

  /** Has all events sent again that were given up since a moment; `dryRun` only counts them. It is not repeated. */
  redeliverDead(
    request: Omit<RedeliverDeadRequest, 'state'>,
    options?: CallOptions,
  ): Promise<RedeliveryCountAnswer['data']> {
    return this.#post(
      '/b2b/events/redeliver',
      { state: 'dead', ...request },
      { ...options, giveUpAfterMs: 0 },
    )
  }

  /**
   * The orders that became final, each once, in the sequence of their `seq`. Keep the `seq` of the last one together with
   * what you did about it, and give it as `after` when you begin again. It waits for results without an end; with
   * `wait: 0` it ends after the last one that is there.
   */
  async *results(
    { after, limit = 100, wait = 30 }: ListResultsQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Result, void, undefined> {
    for (let seen = after; ; ) {
      const page = await this.resultPage({ after: seen, limit, wait }, options)
      yield* page.results
      seen = page.nextAfter
      if (wait === 0 && !page.hasMore) return
      // The service may answer early, as before it ends: it asks for a pause then.
      if (page.results.length === 0) await systemClock.sleep(1000, options?.signal)
    }
  }

  /** One page of the results; `wait` adds to the time that the request may take. */
  resultPage(query: ListResultsQuery = {}, options?: CallOptions): Promise<ResultPage['data']> {
    const timeoutMs = this.#with(options).timeoutMs + (query.wait ?? 0) * 1000
    return this.#get('/b2b/results', { limit: 100, ...query }, { ...options, timeoutMs })
  }

  /** The orders, newest first, page after page. They have no keys: read the order for those. */
  async *orders(
    query: Omit<ListOrdersQuery, 'cursor' | 'page'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Order, void, undefined> {
    for await (const { orders } of pages((cursor) => this.orderPage({ ...query, cursor }, options)))
      yield* orders
  }

  /** One page of the orders; 100 unless `limit` says otherwise. */
  orderPage(query: ListOrdersQuery = {}, options?: CallOptions): Promise<OrderPage['data']> {
    return this.#get('/b2b/orders', { limit: 100, ...query }, options)
  }

  /** What can be spent. */
  balance(options?: CallOptions): Promise<Balance> {
    return this.#get('/b2b/balance', {}, options)
  }

  /** The movements of the balance, newest first, page after page. */
  async *transactions(
    query: Omit<ListTransactionsQuery, 'cursor'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Transaction, void, undefined> {
    const page = (cursor: string | undefined) => this.transactionPage({ ...query, cursor }, options)
    for await (const { transactions } of pages(page)) yield* transactions
  }

  /** One page of the movements of the balance, with the balance before and after. */
  transactionPage(
    query: ListTransactionsQuery = {},
    options?: CallOptions,
  ): Promise<TransactionPage['data']> {
    return this.#get('/b2b/balance/transactions', { limit: 100, ...query }, options)
  }

  /** Tries an order without spending anything; `gameUserId` chooses its course. Only for accounts in test mode. */
  simulateOrder(order: OrderRequest, options?: PlaceOptions): Promise<SimulatedOrderAnswer['data']> {
    return placeOrder(
      this.#target,
      { path: '/simulation/orders', hasLookUp: false },
      order,
      this.#with(options),
    )
  }

  /** A simulated order as it is now. */
  simulatedOrder(code: string, options?: CallOptions): Promise<SimulatedOrderAnswer['data']> {
    return this.#get(`/simulation/orders/${encodeURIComponent(code)}`, {}, options)
  }

  /** Sends a sample event through the real path of webhooks. Only for accounts in test mode. It is not repeated. */
  simulateWebhook(event: SimulationRequest, options?: CallOptions): Promise<SimulationAnswer['data']> {
    return this.#post('/simulation/webhooks', event, { ...options, giveUpAfterMs: 0 })
  }

  /** A sample event, with its attempts. */
  simulatedWebhook(eventId: string, options?: CallOptions): Promise<SimulationStateAnswer['data']> {
    return this.#get(`/simulation/webhooks/${encodeURIComponent(eventId)}`, {}, options)
  }

  #get<T>(path: string, query: Query, options: CallOptions | undefined): Promise<T> {
    return this.#ask({ method: 'GET', path, query }, options)
  }

  #post<T>(path: string, body: object, options: CallOptions | undefined): Promise<T> {
    return this.#ask({ method: 'POST', path, body: JSON.stringify(body) }, options)
  }

  /** Asks until there is an answer, and returns its data. Only for what may be sent twice. */
  async #ask<T>(call: Call, options: CallOptions | undefined): Promise<T> {
    if (isAstray(call.path)) throw new TypeError('an id, code or slug is empty, or only dots')
    const { timeoutMs, ...pace } = this.#with(options)
    const requestId = newRequestId()
    const tried = await retry<T>(async () => {
      pace.signal?.throwIfAborted()
      const outcome = await send(this.#target, call, { timeoutMs, signal: pace.signal, requestId })
      if (outcome.kind === 'answered') return { done: outcome.data as T }
      if (outcome.kind === 'later') return { again: outcome.error, retryAfterMs: outcome.retryAfterMs }
      throw outcome.error
    }, pace)
    if ('gaveUp' in tried) throw tried.gaveUp
    return tried.done
  }

  #with<Options extends CallOptions>(options: Options | undefined) {
    const { timeoutMs = 15_000, giveUpAfterMs = 90_000 } = this.#defaults
    const times = {
      timeoutMs: options?.timeoutMs ?? timeoutMs,
      giveUpAfterMs: options?.giveUpAfterMs ?? giveUpAfterMs,
    }
    return { ...this.#defaults, ...options, ...times }
  }
}

type Page = { pagination: { nextCursor: string | null } }

async function* pages<P extends Page>(read: (cursor: string | undefined) => Promise<P>) {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page
    cursor = page.pagination.nextCursor ?? undefined
  } while (cursor !== undefined)
}
