import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { noSealing, owners, type Sealing, Unreadable } from '../sealing/sealing.ts'
import { createAccessTokens, type TokenResult, type TokenStore } from '../suppliers/access_tokens.ts'
import { settingOf } from '../suppliers/credential.ts'

/** The columns of a supplier's row that contain its credential. */
type Row = { supplier: string; token: string; token_url: string | null; client_id: string | null }

/** Gives the tokens that suppliers are called with. */
export type SupplierCredentials = {
  /** The token; or why there is none, in technical terms. Never rejects because of a supplier or the network. */
  tokenFor: (row: Row) => Promise<TokenResult>
  /** Reports that the supplier did not accept a token. */
  reject: (supplier: string, token: string) => void
  close: () => Promise<void>
}

/**
 * Makes the source of tokens. The credential is in the row, where it may be sealed, or in the environment
 * (`env:SUPPLIER_SECRET_…`); it may be exchanged for an access token that all workers share.
 */
export function createSupplierCredentials(
  db: Database,
  supplierCredential: Config['supplierCredential'],
  sealing: Sealing = noSealing,
): SupplierCredentials {
  const accessTokens = createAccessTokens(storeIn(db))
  return {
    tokenFor: async ({ supplier, token_url: tokenUrl, client_id: clientId, token: given }) => {
      try {
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
