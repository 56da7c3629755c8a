// What is in the environment for others than suppliers must not go to whatever URL an operator has set.
const ownSettings =
  /^(?:DATABASE_|PG|NODE_|NPM_|AWS_|OTEL_)|^(?:(?:API|WORKER|OPERATOR)_DB_PASSWORD|DOCS_PASSWORD|DATA_KEYS|ALERT_WEBHOOK_URL)$/

/** The name of the setting that a credential of a supplier refers to (`env:NAME`); undefined: it is the credential. */
export function settingOf(credential: string): string | undefined {
  return /^env:([A-Z][A-Z0-9_]{0,99})$/.exec(credential)?.[1]
}

/**
 * The credential itself: as it stands, or where it is `env:NAME`, the setting of that name in the environment. Undefined
 * where that is not set, or is a setting of this service that is none for suppliers.
 */
export function credentialFrom(
  credential: string,
  environment: { [name: string]: string | undefined },
): string | undefined {
  const name = settingOf(credential)
  if (name === undefined) return credential
  const value = ownSettings.test(name) ? undefined : environment[name]
  return value === '' ? undefined : value
}
