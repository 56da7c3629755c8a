import { createHash } from 'node:crypto'
import type { Config } from '../../config.ts'
import { type BatchOptions, batch } from '../../database/batch.ts'
import { callNumbered } from '../../database/batch_call.ts'
import type { Database, Functions } from '../../database/client.ts'
import { originAllowed, parseOrigin } from '../../network/origin.ts'
import type { Account, Context, Next } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { type ErrorName, refuse, refuseForNow } from '../errors.ts'
import type { HttpMetrics } from '../metrics.ts'
import { isCounted, isHealthCheck, isWrite, rulesFor } from '../paths.ts'
import { createKeyOrigins } from './key_origins.ts'
import { createOverBudget, type UsedBudget } from './over_budget.ts'
import { presentedKey } from './presented_key.ts'

type AdmitRequest = {
  client: string
  keyHash: string | null
  /** Empty for an `Origin` that is none: no allowlist has that. */
  origin: string | null
  write: boolean
  allowOrigin: boolean
  count: boolean
}
type Budget = { limit: number; remaining: number; reset: number }
type Admitted = Functions['api.admit']['result'][number]

export type AdmissionOptions = {
  db: Database
  config: Pick<Config, 'allowedOrigins' | 'rateLimitPerMinute'>
  metrics: HttpMetrics
  /** Called with each key that a request has. */
  onKeyUsed: (keyId: string) => void
}

export type Admission = {
  /** Lets a request in or answers it: origin check, rate limit, authentication, in this order (specification 5, 7, 8). */
  admit: (ctx: Context, next: Next) => Promise<void>
  /**
   * Counts a request against the rate limit that was let in uncounted. Returns false where that is used up: the request
   * is answered then.
   */
  count: (ctx: Context) => Promise<boolean>
}

// Of the look-ups for foreign writes: the most in one call.
const foreignAtOnce = 32

// The batch delay of writes: orders that are admitted together are placed and sent together, too, which costs the database
// less. Reads do not wait.
const delayMs = 20

const refusals: { [verdict: string]: ErrorName } = {
  unauthorized: 'UNAUTHORIZED',
  storefront: 'STOREFRONT_ACCOUNT',
  public_scope: 'PUBLIC_KEY',
  ip_forbidden: 'IP_NOT_ALLOWED',
}

/** Makes the admission of one process. What comes in at the same moment shares one call to the database. */
export function createAdmission({ db, config, metrics, onKeyUsed }: AdmissionOptions): Admission {
  const overBudget = createOverBudget()
  const keyOrigins = createKeyOrigins()
  const admitRead = admitInBatches('admit')
  const admitWrite = admitInBatches('admit', { delayMs })
  // A foreign write is looked up before anything is counted, so nothing limits how many a client sends. They have
  // batches of their own, small ones, one under way at a time: the rest of the service waits for none of them, and
  // they take one connection at most. A limit by address would refuse writes that a key allows.
  const admitForeign = admitInBatches('admit_foreign', { max: foreignAtOnce })

  function admitInBatches(
    name: string,
    options: Pick<BatchOptions<AdmitRequest, Admitted>, 'delayMs' | 'max'> = {},
  ): (request: AdmitRequest) => Promise<Admitted> {
    return batch<AdmitRequest, Admitted>({
      run: (requests) =>
        callNumbered(requests, (numbered) =>
          db.call('api.admit', { requests: numbered, default_limit: config.rateLimitPerMinute }),
        ),
      keyOf: ({ client }) => client,
      onRun: (size) => metrics.batch(name, size),
      waitMs: databaseTimeMs,
      ...options,
    })
  }

  async function admitRequest(ctx: Context, next: Next): Promise<void> {
    const used = overBudget.find(ctx.state.client)
    const request = admissionRequest(ctx, config.allowedOrigins)
    const foreign = isForeignWrite(request)
    const { keyHash, origin } = request
    if (foreign && !mayBeAllowed(keyHash, origin, used)) return refuse(ctx, 'ORIGIN_NOT_ALLOWED')
    const route = ctx.state.route.pattern
    if (used && !isHealthCheck(route)) return refuseOverBudget(ctx, used)
    if (!isCounted(route)) {
      return foreign && !used && !(await keyAllowsOrigin(ctx, request))
        ? refuse(ctx, 'ORIGIN_NOT_ALLOWED')
        : next()
    }

    const admit = foreign ? admitForeign : request.write ? admitWrite : admitRead
    const admission = await ctx.state.databaseTime(() => admit(request))
    if (admission.verdict === 'origin_forbidden') return refuse(ctx, 'ORIGIN_NOT_ALLOWED')
    if (!withinBudget(ctx, admission)) return
    if (rulesFor(ctx.path).key) {
      if (admission.verdict !== 'ok') return refuse(ctx, refusals[admission.verdict] ?? 'UNAUTHORIZED')
      ctx.state.account = accountFrom(admission)
      onKeyUsed(ctx.state.account.keyId)
      if (keyHash !== null) keyOrigins.add(keyHash, admission.allowed_origins)
    }
    await next()
  }

  /** Whether the key's allowlist may permit a foreign write. Over the budget, only remembered allowlists count. */
  function mayBeAllowed(
    keyHash: string | null,
    origin: string | null,
    used: UsedBudget | undefined,
  ): boolean {
    if (keyHash === null || origin === null || origin === '') return false
    return used === undefined || keyOrigins.allow(keyHash, origin)
  }

  async function keyAllowsOrigin(ctx: Context, request: AdmitRequest): Promise<boolean> {
    const { verdict } = await ctx.state.databaseTime(() => admitForeign({ ...request, count: false }))
    return verdict !== 'origin_forbidden'
  }

  async function count(ctx: Context): Promise<boolean> {
    const used = overBudget.find(ctx.state.client)
    if (used) {
      refuseOverBudget(ctx, used)
      return false
    }
    const request = { ...anonymous, client: ctx.state.client }
    return withinBudget(ctx, await ctx.state.databaseTime(() => admitRead(request)))
  }

  function withinBudget(ctx: Context, admission: Admitted): boolean {
    const budget = budgetOf(admission)
    if (admission.verdict !== 'rate_limited') {
      setBudget(ctx, budget)
      return true
    }
    overBudget.add(ctx.state.client, budget)
    refuseOverBudget(ctx, budget)
    return false
  }

  return { admit: admitRequest, count }
}

const anonymous = { keyHash: null, origin: null, write: false, allowOrigin: false, count: true }

function admissionRequest(ctx: Context, allowedOrigins: string[]): AdmitRequest {
  const given = ctx.headers.origin
  const parsed = given === undefined ? undefined : parseOrigin(given)
  const origin = parsed?.whole ?? (given === undefined ? null : '')
  const write = isWrite(ctx.method)
  const allowOrigin = parsed !== undefined && originAllowed(parsed, allowedOrigins)
  const keyMatters = rulesFor(ctx.path).key !== undefined || isForeignWrite({ write, origin, allowOrigin })
  const keyHash = keyMatters ? hashOf(presentedKey(ctx)) : null
  return { client: ctx.state.client, keyHash, origin, write, allowOrigin, count: true }
}

/** Whether only the presented key's own allowlist can let it in. */
function isForeignWrite({
  write,
  origin,
  allowOrigin,
}: Pick<AdmitRequest, 'write' | 'origin' | 'allowOrigin'>): boolean {
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

function budgetOf({ limit_per_minute: limit, remaining, reset_seconds: reset }: Admitted): Budget {
  if (limit === null || remaining === null || reset === null) {
    throw new Error('api.admit counted a request and did not say how its budget stands')
  }
  return { limit, remaining, reset }
}

function refuseOverBudget(ctx: Context, { limit, reset }: UsedBudget): void {
  setBudget(ctx, { limit, remaining: 0, reset })
  refuseForNow(ctx, reset)
}

function setBudget(ctx: Context, { limit, remaining, reset }: Budget): void {
  ctx.set('X-RateLimit-Limit', String(limit))
  ctx.set('X-RateLimit-Remaining', String(remaining))
  ctx.set('X-RateLimit-Reset', String(reset))
}
