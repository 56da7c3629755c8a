import { hkdfSync, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { clock } from '../clock.ts'
import { parseJson } from '../messages/json.ts'
import { decrypt, encrypt } from '../sealing/cipher.ts'
import { createSupplierHttp, type Exchange, type SupplierHttp, unsendable } from './exchange.ts'
import type { NotPlacedCause } from './outcome.ts'

/** A supplier's credential, and the URL that exchanges it for an access token, if there is one. */
type Credential = {
  supplier: string
  /** The token, or the client's secret where there is a `tokenUrl`. */
  token: string
  tokenUrl: string | null
  clientId: string | null
}

/** The access token as all workers share it. `sealed` is the token encrypted; see `createAccessTokens`. */
type SharedToken = { sealed: string; expiresAt: Date }

/** The workers share their access tokens here: `take` chooses one worker, which renews the token for all. */
export type TokenStore = {
  /** The shared token; `renew`: the caller must get a new one and `keep` it; `wait`: another worker renews it. */
  take: (supplier: string, renewer: string, rejected: string | null) => Promise<SharedToken | 'renew' | 'wait'>
  /** Keeps a new token; null: the supplier issued none. */
  keep: (supplier: string, renewer: string, sealed: string | null, validSeconds: number) => Promise<void>
}

/** The token for a call; or, in technical terms, why there is none. */
export type TokenResult = { ok: true; token: string } | { ok: false; cause: NotPlacedCause; error: string }

/** Gives the tokens for calls to suppliers. */
export type AccessTokens = {
  tokenFor: (credential: Credential) => Promise<TokenResult>
  /** Reports that the supplier did not accept a token: the next call gets a new one. */
  reject: (supplier: string, token: string) => void
  close: () => Promise<void>
}

type Held = { credential: Credential; sealed: string; token: string; expiresAt: number }

const renewalMs = 10_000
const maxWaitMs = 10_000
const lookAgainMs = 100
// A token that is about to expire may have expired when the supplier reads it.
const marginMs = 15_000

const answerSchema = v.object({
  access_token: v.pipe(v.string(), v.regex(/^[!-~]{1,4096}$/)),
  token_type: v.pipe(v.string(), v.toLowerCase(), v.literal('bearer')),
  expires_in: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(31_536_000)), 3600),
})

/**
 * Gives access tokens by the client credentials grant (RFC 6749, 4.4). One worker renews a token for all workers. They
 * share it in the database, encrypted with a key that is derived from the client's secret. Concurrent calls in one
 * process share one look-up. Never rejects because of the token server or the network.
 */
export function createAccessTokens(store: TokenStore): AccessTokens {
  const http = createSupplierHttp({ timeoutMs: renewalMs })
  const held = new Map<string, Held>()
  const rejected = new Map<string, string>()
  const underWay = new Map<string, Promise<TokenResult>>()

  async function renew(credential: Credential, renewer: string): Promise<TokenResult> {
    const { supplier } = credential
    const exchange = await askForToken(http, credential)
    const renewed = tokenIn(exchange)
    if (renewed === undefined) {
      await store.keep(supplier, renewer, null, 0)
      return noToken(exchange)
    }
    const { access_token: token, expires_in: seconds } = renewed
    const sealed = seal(token, credential)
    held.set(supplier, { credential, sealed, token, expiresAt: clock.now().getTime() + seconds * 1000 })
    await store.keep(supplier, renewer, sealed, seconds)
    return { ok: true, token }
  }

  async function lookUp(credential: Credential): Promise<TokenResult> {
    const { supplier } = credential
    const renewer = randomUUID()
    const until = performance.now() + maxWaitMs
    while (performance.now() < until) {
      const shared = await store.take(supplier, renewer, rejected.get(supplier) ?? null)
      if (shared === 'renew') return renew(credential, renewer)
      if (shared !== 'wait') {
        const { sealed, expiresAt } = shared
        const token = unseal(sealed, credential)
        if (token !== undefined) {
          held.set(supplier, { credential, sealed, token, expiresAt: expiresAt.getTime() })
          return { ok: true, token }
        }
        // The token was sealed under the previous secret.
        rejected.set(supplier, sealed)
      }
      await sleep(lookAgainMs)
    }
    return { ok: false, cause: 'unreachable', error: 'no access token: another worker was renewing it' }
  }

  return {
    tokenFor: async (credential) => {
      const { supplier, tokenUrl } = credential
      if (tokenUrl === null) return { ok: true, token: credential.token }
      const known = held.get(supplier)
      if (
        known !== undefined &&
        known.expiresAt > clock.now().getTime() + marginMs &&
        known.sealed !== rejected.get(supplier) &&
        isDeepStrictEqual(known.credential, credential)
      )
        return { ok: true, token: known.token }
      const shared = underWay.get(supplier) ?? lookUp(credential).finally(() => underWay.delete(supplier))
      underWay.set(supplier, shared)
      return shared
    },
    reject: (supplier, token) => {
      const known = held.get(supplier)
      if (known?.token === token) rejected.set(supplier, known.sealed)
    },
    close: http.close,
  }
}

function tokenIn(exchange: Exchange): v.InferOutput<typeof answerSchema> | undefined {
  if (!('answer' in exchange) || exchange.answer.status !== 200) return undefined
  const parsed = v.safeParse(answerSchema, parseJson(exchange.answer.body)?.value)
  return parsed.success ? parsed.output : undefined
}

function noToken(exchange: Exchange): TokenResult {
  if (!('answer' in exchange)) {
    return { ok: false, cause: 'unreachable', error: `no access token: ${exchange.lost}` }
  }
  const { status } = exchange.answer
  const error = status === 200 ? 'no access token: the answer is unusable' : `no access token: HTTP ${status}`
  return { ok: false, cause: status >= 400 && status < 500 ? 'credentials' : 'unreachable', error }
}

async function askForToken(http: SupplierHttp, { tokenUrl, clientId, token }: Credential): Promise<Exchange> {
  const url = URL.parse(tokenUrl ?? '')
  if (url === null) return unsendable('the URL of the access token is not usable')
  // RFC 6749, 2.3.1: both are form-encoded before they go into the header.
  const [user, password] = [clientId ?? '', token].map((part) => new URLSearchParams({ '': part }).toString().slice(1))
  return http.withinDeadline((signal) =>
    http.request(
      {
        method: 'POST',
        url,
        headers: {
          accept: 'application/json',
          authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      },
      signal,
    ),
  )
}

function keyFor({ supplier, token, tokenUrl, clientId }: Credential): Buffer {
  const about = JSON.stringify([supplier, tokenUrl, clientId])
  return Buffer.from(hkdfSync('sha256', token, about, 'supply-ordering access token', 32))
}

function seal(accessToken: string, credential: Credential): string {
  return encrypt(keyFor(credential), accessToken, credential.supplier).toString('base64')
}

/** The token; undefined where it was sealed under another credential. */
function unseal(sealed: string, credential: Credential): string | undefined {
  return decrypt(keyFor(credential), Buffer.from(sealed, 'base64'), credential.supplier)
}
