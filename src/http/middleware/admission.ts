import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'
import { type BatchOptions, batch } from '../../database/batch.ts'
import { callNumbered } from '../../database/batch_call.ts'
import type { Database, Functions } from '../../database/client.ts'
import { originAllowed, parseOrigin } from '../../network/origin.ts'
import type { Account, Context, Middleware } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { type ErrorName, refuse } from '../errors.ts'
import type { HttpMetrics } from '../metrics.ts'
import { createRecent, type Recent } from '../recent.ts'
import { clientNetwork } from './client_address.ts'
import { presentedKey } from './presented_key.ts'

type AdmitRequest = {
  client: string
  keyHash: string | null
  /** Empty for an `Origin` header that is no origin: no allowlist has that. */
  origin: string | null
  write: boolean
  allowOrigin: boolean
  count: boolean
}
type Admitted = Functions['api.admit']['result'][number]
/** Requests per window, requests left, and milliseconds until the window ends. */
type Budget = { limit: number; remaining: number; resetMs: number }

export type AdmissionOptions = {
  db: Database
  config: Pick<Config, 'allowedOrigins' | 'rateLimitPerMinute'>
  metrics: Pick<HttpMetrics, 'batch'>
  /** The limits of the clients that used up their budget: their requests cost no call until their window ends. */
  usedUp: Recent<number>
  /** Called with the key of each request that is let in. */
  onKeyUsed: (keyId: string) => void
}

export type Admission = {
  /**
   * Lets a request in or answers it: origin check, rate limit, authentication, in this order (specification 5, 7, 8).
   */
  admit: Middleware
  /** Counts a request that was let in uncounted. Returns false if it answered the request: the budget is used up. */
  count: (ctx: Context) => Promise<boolean>
}

// The look-ups for foreign writes in one call.
const foreignAtOnce = 32

// The batch delay of writes: orders that are admitted together are also placed together, which costs the database less.
// Reads do not wait.
const [delayMs, maxDelayed] = [10, 32]

const rememberOriginsMs = 60_000

const refusals: { [verdict: string]: ErrorName } = {
  unauthorized: 'UNAUTHORIZED',
  storefront: 'STOREFRONT_ACCOUNT',
  public_scope: 'PUBLIC_KEY',
  ip_forbidden: 'IP_NOT_ALLOWED',
}

/** Makes the admission of one process. Requests that arrive at the same moment share one call to the database. */
export function createAdmission({ db, config, metrics, usedUp, onKeyUsed }: AdmissionOptions): Admission {
  // The allowlists of keys that were let in, so that a foreign write over the budget costs no call either.
  const keyOrigins = createRecent<string[]>()
  const admitRead = admitInBatches('admit')
  const admitWrite = admitInBatches('admit', { delayMs, maxDelayed })
  // A foreign write is looked up before it is counted, so nothing limits how many a client sends. Batches of their own,
  // one at a time, take at most one connection.
  const admitForeign = admitInBatches('admit_foreign', { max: foreignAtOnce })

  function admitInBatches(
    name: string,
    options: Pick<BatchOptions<AdmitRequest, Admitted>, 'delayMs' | 'maxDelayed' | 'max'> = {},
  ) {
    return batch<AdmitRequest, Admitted>({
      run: (requests) =>
        callNumbered(requests, (numbered) =>
          db.call('api.admit', { requests: numbered, default_limit: config.rateLimitPerMinute }),
        ),
      isBusy: ({ verdict }) => verdict === 'busy',
      keyOf: ({ client }) => client,
      onRun: (size) => metrics.batch(name, size),
      waitMs: databaseTimeMs,
      ...options,
    })
  }

  async function admit(ctx: Context, next: () => Promise<unknown>): Promise<unknown> {
    const { access, uncounted } = ctx.state.route
    const used = uncounted === 'health check' ? undefined : usedBudget(ctx)
    const request = admitRequest(ctx, config.allowedOrigins)
    const isForeign = isForeignWrite(request)
    if (isForeign && !mayBeAllowed(request, used)) return refuse(ctx, 'ORIGIN_NOT_ALLOWED')
    if (used) return refuseOverBudget(ctx, used)
    if (!request.count && !isForeign) return next()

    const admitInBatch = isForeign ? admitForeign : request.write ? admitWrite : admitRead
    const admitted = await ctx.state.databaseTime(() => admitInBatch(request))
    if (admitted.verdict === 'origin_forbidden') return refuse(ctx, 'ORIGIN_NOT_ALLOWED')
    if (!request.count) return next()
    if (!isWithinBudget(ctx, admitted)) return
    if (access.key) {
      if (admitted.verdict !== 'ok') return refuse(ctx, refusals[admitted.verdict] ?? 'UNAUTHORIZED')
      ctx.state.account = accountFrom(admitted)
      onKeyUsed(ctx.state.account.keyId)
      rememberOrigins(request, admitted)
    }
    return next()
  }

  function usedBudget(ctx: Context): Budget | undefined {
    const found = usedUp.get(clientNetwork(ctx.state.client))
    return found && { limit: found.value, remaining: 0, resetMs: found.leftMs }
  }

  function rememberOrigins({ keyHash }: AdmitRequest, { allowed_origins: origins }: Admitted): void {
    if (keyHash === null) return
    if (origins === null) keyOrigins.delete(keyHash)
    else keyOrigins.set(keyHash, origins.split(' '), rememberOriginsMs)
  }

  /** Whether the key's allowlist may permit a foreign write. Over the budget, only remembered allowlists count. */
  function mayBeAllowed({ keyHash, origin }: AdmitRequest, used: Budget | undefined): boolean {
    const parsed = parseOrigin(origin ?? '')
    if (keyHash === null || parsed === undefined) return false
    return used === undefined || originAllowed(parsed, keyOrigins.get(keyHash)?.value ?? [])
  }

  async function count(ctx: Context): Promise<boolean> {
    const used = usedBudget(ctx)
    if (used) {
      refuseOverBudget(ctx, used)
      return false
    }
    const request = { ...anonymous, client: ctx.state.client }
    return isWithinBudget(ctx, await ctx.state.databaseTime(() => admitRead(request)))
  }

  function isWithinBudget(ctx: Context, admitted: Admitted): boolean {
    const budget = budgetOf(admitted)
    if (admitted.verdict !== 'rate_limited') {
      setBudget(ctx, budget)
      return true
    }
    usedUp.set(clientNetwork(ctx.state.client), budget.limit, budget.resetMs)
    refuseOverBudget(ctx, { ...budget, remaining: 0 })
    return false
  }

  return { admit, count }
}

// The origin check is for all other methods; it is made on every path (specification 5, rule 7).
const reading = ['GET', 'HEAD', 'OPTIONS', 'TRACE']

const anonymous = { keyHash: null, origin: null, write: false, allowOrigin: false, count: true }

function admitRequest(ctx: Context, allowedOrigins: string[]): AdmitRequest {
  const { access, uncounted } = ctx.state.route
  const isOwnPage = ctx.get('Sec-Fetch-Site') === 'same-origin' && access.ownPages
  const given = isOwnPage ? undefined : ctx.headers.origin
  const parsed = given === undefined ? undefined : parseOrigin(given)
  const origin = parsed?.whole ?? (given === undefined ? null : '')
  const write = !reading.includes(ctx.method)
  const allowOrigin = parsed !== undefined && originAllowed(parsed, allowedOrigins)
  const keyMatters = access.key !== undefined || isForeignWrite({ write, origin, allowOrigin })
  const keyHash = keyMatters ? hashOf(presentedKey(ctx)) : null
  return { client: ctx.state.client, keyHash, origin, write, allowOrigin, count: uncounted === undefined }
}

type OriginFacts = Pick<AdmitRequest, 'write' | 'origin' | 'allowOrigin'>

/** Whether only the allowlist of the presented key can let a request in. */
function isForeignWrite({ write, origin, allowOrigin }: OriginFacts): boolean {
  return write && origin !== null && !allowOrigin
}

function hashOf(key: string): string | null {
  return key === '' ? null : createHash('sha256').update(key).digest('hex')
}

function accountFrom({ account_id: id, key_id: keyId, account_mode: mode, currency }: Admitted): Account {
  if (id === null || keyId === null || mode === null || currency === null) {
    throw new Error('api.admit let a request in without an account')
  }
  return { id, keyId, mode, currency }
}

function budgetOf({ limit_per_minute: limit, remaining, reset_ms: resetMs }: Admitted): Budget {
  if (limit === null || remaining === null || resetMs === null) {
    throw new Error('api.admit counted a request without its budget')
  }
  return { limit, remaining, resetMs }
}

function refuseOverBudget(ctx: Context, budget: Budget): void {
  setBudget(ctx, budget)
  refuse(ctx, 'RATE_LIMITED', { retryAfter: secondsOf(budget) })
}

function setBudget(ctx: Context, budget: Budget): void {
  ctx.set({
    'X-RateLimit-Limit': String(budget.limit),
    'X-RateLimit-Remaining': String(budget.remaining),
    'X-RateLimit-Reset': String(secondsOf(budget)),
  })
}

// Rounded up, so that a client that waits as long comes after the end of its window.
function secondsOf({ resetMs }: Budget): number {
  return Math.ceil(resetMs / 1000)
}
