import { ConfigError, loadConfig } from '../config.ts'
import { asOperator } from './connections.ts'
import { embeddedUrl } from './operator_login.ts'
import { webhookSecretOf } from './sealing.ts'

/** `npm run webhook-secret -- ACCOUNT`: prints the secret that signs the events of an account, for its partner. */
export async function webhookSecret([account = '']: string[]): Promise<void> {
  const { databaseDirectUrl, dataKeys } = loadConfig(process.env, { command: 'webhook-secret' })
  const secret = await asOperator(databaseDirectUrl ?? embeddedUrl(), (db) => webhookSecretOf(db, dataKeys, account))
  if (secret === null) throw new ConfigError(`account ${account} has no secret yet: its first delivery makes it`)
  console.log(secret)
}
