import { isIP } from 'node:net'
import { contains, parseNetworks } from '../network/networks.ts'
import { settingOf } from './credential.ts'

/** The hosts that get a supplier's credential, or an access token made from it. */
export type SupplierUrls = { base_url: string; token_url: string | null }

export type HostRules = {
  /** The hosts that SUPPLIER_HOST_X names for the setting SUPPLIER_SECRET_X; undefined: it is not set. */
  supplierHosts: (secret: string) => readonly string[] | undefined
  /** Whether `NODE_ENV` is `production`. */
  production: boolean
}

const prefix = 'SUPPLIER_HOST_'
const entry = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$/

// Where clouds give the credentials of a machine to whoever asks from it.
const metadataAddresses = parseNetworks(
  '169.254.0.0/16 100.100.100.200 168.63.129.16 fe80::/10 fd00:ec2::254 ::ffff:169.254.0.0/112',
)
const metadataNames = new Set(['metadata', 'metadata.google.internal', 'instance-data'])

/**
 * Reads the settings SUPPLIER_HOST_…: hosts, each with or without a port, separated by commas, by the name of the
 * setting. Throws an Error that names the setting with another value.
 */
export function parseSupplierHosts(environment: { [name: string]: string | undefined }): Map<string, string[]> {
  const names = Object.keys(environment).filter((name) => name.startsWith(prefix) && environment[name])
  return new Map(
    names.map((name) => {
      const hosts = (environment[name] ?? '').toLowerCase().split(/[\s,]+/)
      if (!hosts.every((host) => entry.test(host)))
        throw new Error(`${name} must be a list of hosts such as api.nova.example or api.nova.example:8443`)
      return [name, hosts]
    }),
  )
}

/** The setting that names the hosts of a secret: SUPPLIER_HOST_X for SUPPLIER_SECRET_X. */
export const hostSettingOf = (secret: string) => secret.replace('SUPPLIER_SECRET_', prefix)

/** Whether an address is link-local, or one under which clouds give out credentials. */
export const isMetadataAddress = (address: string) => isIP(address) !== 0 && contains(metadataAddresses, address)

/**
 * Why a supplier must not be called by its settings, as a sentence that names the setting; null: it may. `credential`
 * is its token or push secret as it stands in its row.
 */
export function hostFault(credential: string, urls: SupplierUrls, rules: HostRules): string | null {
  const secret = settingOf(credential)
  const named = secret === undefined ? undefined : rules.supplierHosts(secret)
  for (const text of [urls.base_url, urls.token_url]) {
    const url = text === null ? null : URL.parse(text)
    if (url === null) continue
    const hostname = url.hostname.replace(/\.$/, '')
    if (metadataNames.has(hostname) || isMetadataAddress(hostname.replace(/^\[|\]$/g, '')))
      return `${hostname} is the address of a cloud's metadata: no supplier is called there`
    const isNamed = named?.some((host) => host === hostname || host === `${hostname}:${portOf(url)}`)
    if (secret !== undefined && isNamed === false)
      return `${secret} goes only to the hosts of ${hostSettingOf(secret)}, and ${url.host} is none of them`
    if (rules.production && url.protocol !== 'https:' && isNamed !== true) {
      const unless = secret === undefined ? '' : `, unless ${hostSettingOf(secret)} names its host`
      return `${url.origin} is no https address, which NODE_ENV=production requires of a supplier${unless}`
    }
  }
  return null
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80')
}
