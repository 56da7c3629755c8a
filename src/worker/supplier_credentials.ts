import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { noSealing, owners, type Sealing, Unreadable } from '../sealing/sealing.ts'
import { createAccessTokens, type TokenResult, type TokenStore } from '../suppliers/access_tokens.ts'
import { settingOf } from '../suppliers/credential.ts'
import { type HostRules, hostFault, type SupplierUrls } from '../suppliers/supplier_hosts.ts'

/** The columns of a supplier's row that contain its credential. */
type Row = SupplierUrls & { supplier: string; token: string; client_id: string | null }

/** Gives the tokens that suppliers are called with. */
export type SupplierCredentials = {
  /** The token; or why there is none, in technical terms. Never rejects because of a supplier or the network. */
  tokenFor: (row: Row) => Promise<TokenResult>
  /** Reports that the supplier did not accept a token. */
  reject: (supplier: string, token: string) => void
  close: () => Promise<void>
}

// For so long a secret goes on to hosts that the owner no longer trusts.
const checkedMs = 5_000

/**
 * Makes the source of tokens. The credential is in the row, where it may be sealed, or in the environment
 * (`env:SUPPLIER_SECRET_…`), where it belongs to hosts; it may be exchanged for an access token that all workers share.
 */
export function createSupplierCredentials(
  db: Database,
  config: Pick<Config, 'supplierCredential'> & HostRules,
  sealing: Sealing = noSealing,
): SupplierCredentials {
  const accessTokens = createAccessTokens(storeIn(db))
  const { supplierCredential } = config
  const checked = new Map<string, { until: number; fault: Promise<string | null> }>()

  async function findFault(row: Row): Promise<string | null> {
    const { supplier, token } = row
    const secret = settingOf(token)
    const known = hostFault(token, row, config)
    const isNamed = secret === undefined || config.supplierHosts(secret) !== undefined
    const claim = { supplier, credential: token, urls: [row.base_url, row.token_url] }
    const owner = known === null && !isNamed ? await db.call('work.claim_secret', claim) : null
    const fault = owner === null ? known : belongsTo(owner, row, secret ?? '')
    if (fault !== null) await db.call('work.report_settings', { supplier, error: fault })
    return fault
  }

  /** Why the credential must not be sent to the supplier's hosts. Calls within some seconds share one look-up. */
  function faultOf(row: Row): Promise<string | null> {
    const key = JSON.stringify([row.supplier, row.token, row.base_url, row.token_url])
    const known = checked.get(key)
    if (known !== undefined && known.until > performance.now()) return known.fault
    const fault = findFault(row)
    fault.catch(() => checked.delete(key))
    checked.set(key, { until: performance.now() + checkedMs, fault })
    return fault
  }

  return {
    tokenFor: async (row) => {
      const { supplier, token_url: tokenUrl, client_id: clientId, token: given } = row
      try {
        // guard: a secret goes only to its hosts
        const fault = await faultOf(row)
        if (fault !== null) return { ok: false, cause: 'settings', error: fault }
        const token = supplierCredential(sealing.open(given, owners.token(supplier)))
        if (token !== undefined) return await accessTokens.tokenFor({ supplier, token, tokenUrl, clientId })
        return { ok: false, cause: 'settings', error: missing(given) }
      } catch (error) {
        if (error instanceof Unreadable) return { ok: false, cause: 'settings', error: error.message }
        throw error
      }
    },
    reject: accessTokens.reject,
    close: accessTokens.close,
  }
}

function belongsTo(owner: string, { supplier, base_url: baseUrl }: Row, secret: string): string {
  return (
    `${secret} belongs to ${owner}, and ${URL.parse(baseUrl)?.host} is another host: ` +
    `the owner allows it with ops.trust_supplier_host('${supplier}')`
  )
}

function missing(credential: string): string {
  const name = settingOf(credential)
  return name === undefined
    ? 'env: must be followed by a name that begins with SUPPLIER_SECRET_'
    : `the environment has no ${name}`
}

function storeIn(db: Database): TokenStore {
  return {
    take: async (supplier, renewer, rejected) => {
      const [row] = await db.call('work.take_access_token', { supplier, renewer, rejected })
      if (row === undefined) return 'wait'
      if (row.must_renew || row.sealed === null || row.expires_at === null) return 'renew'
      return { sealed: row.sealed, expiresAt: row.expires_at }
    },
    keep: async (supplier, renewer, sealed, valid_seconds) => {
      await db.call('work.keep_access_token', { supplier, renewer, sealed, valid_seconds })
    },
  }
}
