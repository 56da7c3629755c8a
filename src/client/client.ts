import { randomUUID } from 'node:crypto'
import { placeOrder } from './place_order.ts'
import { retry, systemClock } from './retry.ts'
import { type Call, createTarget, isAstray, type Query, send, type Target } from './transport.ts'
import type * as api from './types.ts'

export type CallOptions = {
  /**
   * Ends the call: it rejects with the signal's reason, or with an UnknownOutcomeError if an order may have been
   * placed.
   */
  signal?: AbortSignal | undefined
  /** How long one request may take, with its response, in milliseconds: 15,000 unless given. */
  timeoutMs?: number
  /** No request is repeated later than this after the first, in milliseconds: 90,000 unless given. 0: no repeat. */
  giveUpAfterMs?: number
}

export type ClientOptions = Omit<CallOptions, 'signal'> & {
  /** The service's address, such as `https://supply.example`. A path in it stays as a prefix. */
  baseUrl: string | URL | undefined
  apiKey: string | undefined
  /** Called before each wait for a repeat, for your log. */
  onRetry?: (retry: { attempt: number; delayMs: number; error: Error }) => void
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: typeof globalThis.fetch
}

export type PlaceOptions = CallOptions & {
  /** The idempotency key: the order's `externalOrderId` unless given. */
  idempotencyKey?: string
}

/**
 * A partner's client of the service. It repeats what may succeed later, with growing random delays that honour
 * `Retry-After`. It throws a RefusedError for a refusal, and a NoAnswerError if the service gave no usable response.
 */
export class SupplyClient {
  // Private fields: neither console.log nor JSON.stringify shows the key.
  readonly #target: Target
  readonly #defaults: Omit<ClientOptions, 'baseUrl' | 'apiKey' | 'fetch'>

  constructor({ baseUrl, apiKey, fetch = globalThis.fetch, ...defaults }: ClientOptions) {
    this.#target = createTarget(baseUrl, apiKey, fetch)
    this.#defaults = defaults
  }

  /** The account, the key, what is left of the rate limit, and the address from which the service sees you. */
  me(options?: CallOptions): Promise<api.Me> {
    return this.#get('/b2b/me', {}, options)
  }

  /** The games of the catalog. */
  games(query: api.ListGamesQuery = {}, options?: CallOptions): Promise<api.Game[]> {
    return this.#get('/b2b/catalog/games', query, options)
  }

  /** The products of a game, by its slug: 5,000 at most. `catalog` gives all. */
  products(slug: string, query: api.ListProductsQuery = {}, options?: CallOptions): Promise<api.Product[]> {
    return this.#get(`/b2b/catalog/games/${encodeURIComponent(slug)}/products`, query, options)
  }

  /** The products of all games, by id. With `updatedSince`: those that changed since then. */
  catalog(query: Listed<api.ListCatalogQuery> = {}, options?: CallOptions): Items<api.Product> {
    return items((cursor) => this.catalogPage({ ...query, cursor }, options), 'products')
  }

  /** One page of the products of all games: 1,000 unless `limit` is given. */
  catalogPage(query: api.ListCatalogQuery = {}, options?: CallOptions): Promise<api.CatalogPage> {
    return this.#get('/b2b/catalog/products', { limit: 1000, ...query }, options)
  }

  /** One product, with its texts in the `locale` where it has them. */
  product(id: number, query: api.GetProductQuery = {}, options?: CallOptions): Promise<api.ProductWithTexts> {
    return this.#get(`/b2b/catalog/products/${encodeURIComponent(id)}`, query, options)
  }

  /** What an order would cost now, and how it would be refused. Nothing is placed or reserved. */
  quote(order: api.QuoteRequest, options?: CallOptions): Promise<api.Quote> {
    return this.#post('/b2b/orders/quote', order, options)
  }

  /**
   * Places an order once. Every repeat sends the same bytes under the same idempotency key: the `externalOrderId`
   * unless you give another. Store the key before you call. An order that already has this key is returned as it is
   * now.
   *
   * Throws a RefusedError if nothing was placed or charged, and an UnknownOutcomeError if that is unknown after all
   * repeats and a look-up: then call again later with the same order and the same key.
   */
  placeOrder(order: api.OrderRequest, options?: PlaceOptions): Promise<api.Order> {
    return placeOrder(this.#target, { path: '/b2b/orders', hasLookUp: true }, order, this.#with(options))
  }

  /** An order as it is now, with its delivered keys. */
  order(code: string, options?: CallOptions): Promise<api.Order> {
    return this.#get(`/b2b/orders/${encodeURIComponent(code)}`, {}, options)
  }

  /**
   * Cancels the items of an order that no supplier can have yet, and returns the order. Throws a RefusedError with
   * `NOT_CANCELLABLE` if there are none.
   */
  cancel(code: string, options?: CallOptions): Promise<api.Order> {
    return this.#post(`/b2b/orders/${encodeURIComponent(code)}/cancel`, {}, options)
  }

  /** The history of an order, oldest first. */
  timeline(code: string, options?: CallOptions): Promise<api.OrderTimelineAnswer> {
    return this.#get(`/b2b/orders/${encodeURIComponent(code)}/timeline`, {}, options)
  }

  /** The orders, newest first. They have no keys: read a single order for those. */
  orders(query: Omit<Listed<api.ListOrdersQuery>, 'page'> = {}, options?: CallOptions): Items<api.Order> {
    return items((cursor) => this.orderPage({ ...query, cursor }, options), 'orders')
  }

  /** One page of the orders: 100 unless `limit` is given. */
  orderPage(query: api.ListOrdersQuery = {}, options?: CallOptions): Promise<api.OrderPage> {
    return this.#get('/b2b/orders', { limit: 100, ...query }, options)
  }

  /**
   * The orders that became final, each once, in the order of `seq`. Store the `seq` of the last one with your own
   * changes, and pass it as `after` when you start again. It waits for new results without an end; with `wait: 0` it
   * ends after the last result that exists.
   */
  async *results(
    { after, limit = 100, wait = 30 }: api.ListResultsQuery = {},
    options?: CallOptions,
  ): Items<api.Result> {
    for (let seen = after; ; ) {
      const page = await this.resultPage({ after: seen, limit, wait }, options)
      yield* page.results
      seen = page.nextAfter
      if (wait === 0 && !page.hasMore) return
      // The service may respond early, for example before it stops: pause then.
      if (page.results.length === 0) await systemClock.sleep(1000, options?.signal)
    }
  }

  /** One page of the results. `wait` is added to the time that the request may take. */
  resultPage(query: api.ListResultsQuery = {}, options?: CallOptions): Promise<api.ResultPage> {
    const timeoutMs = this.#with(options).timeoutMs + (query.wait ?? 0) * 1000
    return this.#get('/b2b/results', { limit: 100, ...query }, { ...options, timeoutMs })
  }

  /** The events about your orders, newest first. */
  events(query: Listed<api.ListEventsQuery> = {}, options?: CallOptions): Items<api.Event> {
    return items((cursor) => this.eventPage({ ...query, cursor }, options), 'events')
  }

  /** One page of the events: 100 unless `limit` is given. */
  eventPage(query: api.ListEventsQuery = {}, options?: CallOptions): Promise<api.EventPage> {
    return this.#get('/b2b/events', { limit: 100, ...query }, options)
  }

  /** One event, with the state of its delivery. */
  event(eventId: string, options?: CallOptions): Promise<api.Event> {
    return this.#get(`/b2b/events/${encodeURIComponent(eventId)}`, {}, options)
  }

  /** Sends a final event again, at most once a minute, from now on to `callbackUrl` if you give one. Never repeated. */
  redeliver(eventId: string, request: api.RedeliveryRequest = {}, options?: CallOptions): Promise<api.Deliveries> {
    const path = `/b2b/events/${encodeURIComponent(eventId)}/redeliver`
    return this.#post(path, request, { ...options, giveUpAfterMs: 0 })
  }

  /** Sends all events again that died since a moment. `dryRun` only counts them. Never repeated. */
  redeliverDead(
    request: Omit<api.RedeliverDeadRequest, 'state'>,
    options?: CallOptions,
  ): Promise<api.RedeliveryCountAnswer> {
    const body = { state: 'dead', ...request }
    return this.#post('/b2b/events/redeliver', body, { ...options, giveUpAfterMs: 0 })
  }

  /** The balance. */
  balance(options?: CallOptions): Promise<api.Balance> {
    return this.#get('/b2b/balance', {}, options)
  }

  /** The transactions of the balance, newest first. */
  transactions(query: Listed<api.ListTransactionsQuery> = {}, options?: CallOptions): Items<api.Transaction> {
    return items((cursor) => this.transactionPage({ ...query, cursor }, options), 'transactions')
  }

  /** One page of the transactions, with the opening and the closing balance. */
  transactionPage(query: api.ListTransactionsQuery = {}, options?: CallOptions): Promise<api.TransactionPage> {
    return this.#get('/b2b/balance/transactions', { limit: 100, ...query }, options)
  }

  /** Places a simulated order, which costs nothing. `gameUserId` chooses its result. Only for accounts in test mode. */
  simulateOrder(order: api.OrderRequest, options?: PlaceOptions): Promise<api.SimulatedOrderAnswer> {
    const place = { path: '/simulation/orders', hasLookUp: false }
    return placeOrder(this.#target, place, order, this.#with(options))
  }

  /** A simulated order as it is now. */
  simulatedOrder(code: string, options?: CallOptions): Promise<api.SimulatedOrderAnswer> {
    return this.#get(`/simulation/orders/${encodeURIComponent(code)}`, {}, options)
  }

  /** Sends a sample event through the real delivery path. Only for accounts in test mode. Never repeated. */
  simulateWebhook(event: api.SimulationRequest, options?: CallOptions): Promise<api.SimulationAnswer> {
    return this.#post('/simulation/webhooks', event, { ...options, giveUpAfterMs: 0 })
  }

  /** A sample event, with its attempts. */
  simulatedWebhook(eventId: string, options?: CallOptions): Promise<api.SimulationStateAnswer> {
    return this.#get(`/simulation/webhooks/${encodeURIComponent(eventId)}`, {}, options)
  }

  #get<T>(path: string, query: Query, options: CallOptions | undefined): Promise<T> {
    return this.#request({ method: 'GET', path, query }, options)
  }

  #post<T>(path: string, body: object, options: CallOptions | undefined): Promise<T> {
    return this.#request({ method: 'POST', path, body: JSON.stringify(body) }, options)
  }

  async #request<T>(call: Call, options: CallOptions | undefined): Promise<T> {
    if (isAstray(call.path)) throw new TypeError('an id, code or slug is empty, or only dots')
    const { timeoutMs, ...pace } = this.#with(options)
    const limits = { timeoutMs, signal: pace.signal, requestId: randomUUID() }
    const outcome = await retry(() => send(this.#target, call, limits), pace)
    if ('error' in outcome) throw outcome.error
    return outcome.data as T
  }

  #with<Options extends CallOptions>(options: Options | undefined) {
    const { timeoutMs = 15_000, giveUpAfterMs = 90_000 } = { ...this.#defaults, ...options }
    return { ...this.#defaults, ...options, timeoutMs, giveUpAfterMs }
  }
}

/** A query of a list without its cursor: the client follows the pages. */
type Listed<T> = Omit<T, 'cursor'>

/** The items of a list, read page by page while you iterate. */
type Items<T> = AsyncGenerator<T, void, undefined>

type Page<Name extends string, T> = { [name in Name]: T[] } & { pagination: { nextCursor: string | null } }

async function* items<Name extends string, T>(
  read: (cursor: string | undefined) => Promise<Page<Name, T>>,
  name: Name,
): Items<T> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield* page[name]
    cursor = page.pagination.nextCursor ?? undefined
  } while (cursor !== undefined)
}
