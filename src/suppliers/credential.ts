// An operator decides which URL a credential goes to, so no other setting of the process may be named.
const settingName = /^env:(SUPPLIER_SECRET_[A-Z0-9_]{1,80})$/

/** The name of the setting that a credential refers to (`env:SUPPLIER_SECRET_…`); undefined if it refers to none. */
export function settingOf(credential: string): string | undefined {
  return settingName.exec(credential)?.[1]
}

/**
 * The credential itself, or the value of the setting that it refers to. Undefined if the setting has no value, or if
 * its name does not begin with SUPPLIER_SECRET_.
 */
export function credentialFrom(
  credential: string,
  environment: { [name: string]: string | undefined },
): string | undefined {
  if (!credential.startsWith('env:')) return credential
  const name = settingOf(credential)
  return name === undefined ? undefined : environment[name] || undefined
}
