import { Resolver } from 'node:dns'
import * as v from 'valibot'
import { DatabaseUrlError, parseDatabaseUrl } from './database/connections/database_url.ts'
import { nearestName } from './messages/nearest_name.ts'
import { type Network, parseNetworks } from './network/networks.ts'
import { parseEntry } from './network/origin.ts'
import { parseDataKeys } from './sealing/data_keys.ts'
import { credentialFrom } from './suppliers/credential.ts'
import { hostSettingOf, parseSupplierHosts } from './suppliers/supplier_hosts.ts'

/** The npm scripts that read the settings. */
export type CommandName =
  | 'start'
  | 'api'
  | 'worker'
  | 'migrate'
  | 'supplier'
  | 'seed'
  | 'demo'
  | 'receiver'
  | 'reseal'
  | 'webhook-secret'
  | 'find-code'

/** The settings of a process, read once from the environment. An undefined setting was not set and has no default. */
export type Config = ReturnType<typeof loadConfig>

/**
 * A setting is missing or wrong. The message is one line that names every variable at fault, and no value of a secret.
 */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * The export of traces by OpenTelemetry, from its standard variables. The exporter reads its headers and certificates
 * itself.
 */
export type TracingConfig = {
  /** The URL to which the exporter posts spans. */
  endpoint: string
  serviceName: string | undefined
  sampler: string | undefined
  samplerArg: string | undefined
}

/** The format of posts to the alert webhook: Slack's `{"text": …}`, or that of Alertmanager's API. */
export type AlertFormat = (typeof alertFormats)[number]

const alertFormats = ['slack', 'alertmanager'] as const

export type LogLevel = (typeof logLevels)[number]

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The commands that store or read codes, secrets and tokens. */
const storesSecrets: CommandName[] = ['start', 'api', 'worker']

// Where the partners' receivers of the demo listen.
const demoNetworks = '127.0.0.0/8'

const text = v.optional(v.string())

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,10}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
}

const urlOf = (protocols: string[], message: string) =>
  v.pipe(
    v.string(),
    v.check((value) => protocols.includes(URL.parse(value)?.protocol ?? ''), message),
  )

const databaseUrl = v.pipe(
  v.string(),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    try {
      parseDatabaseUrl(dataset.value)
    } catch (error) {
      addIssue({ message: error instanceof DatabaseUrlError ? error.message : 'is wrong' })
    }
  }),
)

const webUrl = urlOf(['http:', 'https:'], 'must be an http or https URL')

const list = v.pipe(
  v.optional(v.string(), ''),
  v.transform((value) => value.split(/[\s,]+/).filter((entry) => entry !== '')),
)

const loginPassword = v.optional(
  v.pipe(
    v.string(),
    // These characters need no escape in a URL.
    v.regex(/^[A-Za-z0-9._~-]{16,}$/, 'must be 16 or more of the characters A-Z a-z 0-9 . _ ~ -'),
  ),
)

const timeZone = v.pipe(v.string(), v.check(isTimeZone, 'must be the IANA name of a time zone, such as Europe/Berlin'))

const hours = 'must be a number of hours from 0.0001 to 10000, such as 24 or 0.5'

export const settings = v.object({
  NODE_ENV: text,
  DATA_DIR: text,
  DATABASE_URL: v.optional(databaseUrl),
  DATABASE_DIRECT_URL: v.optional(databaseUrl),
  DATABASE_READ_URL: v.optional(databaseUrl),
  DATABASE_READ_STALENESS_SECONDS: v.optional(wholeNumber(2, 3600), '5'),
  PORT: v.optional(wholeNumber(0, 65535)),
  HOST: v.optional(v.pipe(v.string(), v.regex(/^[^\s/@]+$/, 'must be a host name or an IP address')), '127.0.0.1'),
  PUBLIC_URL: v.optional(
    v.pipe(
      webUrl,
      // Its users append a path.
      v.transform((url) => url.replace(/(?<!\/)\/+$/, '')),
    ),
  ),
  BUSINESS_TIME_ZONE: v.optional(timeZone, 'UTC'),
  WEBHOOK_SOURCE_ADDRESSES: v.pipe(
    list,
    v.check(areNetworks, 'must be a list of IP addresses and networks, such as 203.0.113.7,198.51.100.0/28'),
  ),
  LOG_LEVEL: v.optional(v.picklist(logLevels, `must be one of: ${logLevels.join(', ')}`), 'info'),
  METRICS_PORT: v.optional(wholeNumber(0, 65535)),
  WORKER_METRICS_PORT: v.optional(wholeNumber(0, 65535)),
  RATE_LIMIT_PER_MINUTE: v.optional(wholeNumber(1, 2_147_483_647), '500'),
  TRUST_PROXY_HOPS: v.optional(wholeNumber(0, 100), '0'),
  ALLOWED_ORIGINS: v.pipe(
    list,
    v.array(
      v.pipe(
        v.string(),
        v.transform(parseEntry),
        v.string('must be a list of hosts (shop.example), *.hosts and origins (https://shop.example:8443)'),
      ),
    ),
  ),
  CALLBACK_ALLOW_NETWORKS: text,
  DNS_SERVERS: v.pipe(
    list,
    v.check(areDnsServers, 'must be a list of IP addresses, each with or without a port'),
    v.transform((servers) => (servers.length > 0 ? servers : undefined)),
  ),
  DRAIN_SECONDS: v.optional(wholeNumber(0, 20)),
  WEBHOOK_CONCURRENCY: v.optional(wholeNumber(1, 1000), '200'),
  SUPPLIER_CONCURRENCY: v.optional(wholeNumber(1, 5000), '1000'),
  SUPPLIER_DEADLINE_HOURS: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,5}(\.\d{1,9})?$/, hours),
      v.transform(Number),
      v.minValue(0.0001, hours),
      v.maxValue(10_000, hours),
    ),
    '24',
  ),
  SUPPLIER_SILENT_MINUTES: v.optional(wholeNumber(1, 1440), '5'),
  SUPPLIER_UNSAFE_MINUTES: v.optional(wholeNumber(1, 1440), '30'),
  SUPPLIER_TOKEN: text,
  SUPPLIER_URL: v.optional(webUrl, 'http://127.0.0.1:4000'),
  RETAIN_ATTEMPTS_DAYS: v.optional(wholeNumber(1, 36_500), '90'),
  RETAIN_RAW_DAYS: v.optional(wholeNumber(1, 36_500), '7'),
  RETAIN_ALERTS_DAYS: v.optional(wholeNumber(1, 36_500), '90'),
  RETAIN_DELIVERY_DATA_DAYS: v.optional(wholeNumber(1, 36_500)),
  API_DB_PASSWORD: loginPassword,
  WORKER_DB_PASSWORD: loginPassword,
  OPERATOR_DB_PASSWORD: loginPassword,
  ALERT_WEBHOOK_URL: v.optional(webUrl),
  ALERT_WEBHOOK_FORMAT: v.optional(v.picklist(alertFormats, `must be one of: ${alertFormats.join(', ')}`), 'slack'),
  DOCS_PASSWORD: text,
  DATA_KEYS: v.optional(
    v.pipe(
      v.string(),
      v.transform(parseDataKeys),
      v.check(
        (keys) => keys !== undefined,
        'must be a list such as k2:KEY,k1:KEY, each KEY 32 bytes in base64 and each id only once',
      ),
    ),
  ),
  OTEL_SDK_DISABLED: text,
  OTEL_EXPORTER_OTLP_ENDPOINT: v.optional(webUrl),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: v.optional(webUrl),
  OTEL_SERVICE_NAME: text,
  OTEL_TRACES_SAMPLER: text,
  OTEL_TRACES_SAMPLER_ARG: text,
  SEED_DEMO: v.optional(v.picklist(['0', '1'], 'must be 0 or 1')),
})

type Settings = v.InferOutput<typeof settings>

/**
 * Reads the settings from an environment; an empty value counts as unset. `command` is the script that starts: without
 * DATABASE_URL, `start` runs on the embedded database, which changes the defaults of SEED_DEMO and, outside production,
 * of CALLBACK_ALLOW_NETWORKS; `api`, `worker`, `migrate` and `seed` require it. `onTerminal`: outside
 * production there is no drain unless DRAIN_SECONDS asks for one. Throws ConfigError, whose message is one line.
 */
export function loadConfig(
  env: { [name: string]: string | undefined },
  { command = 'api', onTerminal = false }: { command?: CommandName; onTerminal?: boolean } = {},
) {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = v.safeParse(settings, given)
  if (!parsed.success) throw new ConfigError(faults(parsed.issues))
  const values = parsed.output
  if (values.DATABASE_URL === undefined && ['api', 'worker', 'migrate', 'seed', 'reseal'].includes(command)) {
    throw new ConfigError(`DATABASE_URL must be set for "npm run ${command}"`)
  }
  if (values.DATABASE_URL === undefined && values.DATABASE_DIRECT_URL !== undefined) {
    throw new ConfigError('DATABASE_DIRECT_URL goes with DATABASE_URL, which is not set')
  }
  if (values.DATA_KEYS === undefined && values.NODE_ENV === 'production' && storesSecrets.includes(command)) {
    throw new ConfigError('DATA_KEYS must be set where NODE_ENV is production (docs/operations/data-keys.md)')
  }
  const hosts = supplierHostsIn(given)
  return {
    ...configOf(values, command, onTerminal),
    /** The hosts that SUPPLIER_HOST_X names for the setting SUPPLIER_SECRET_X; undefined: it is not set. */
    supplierHosts: (secret: string) => hosts.get(hostSettingOf(secret)),
    /**
     * The credential of a supplier: as it stands, or for `env:SUPPLIER_SECRET_…` that setting; undefined if that is not
     * set.
     */
    supplierCredential: (text: string) => credentialFrom(text, given),
    /** Variables that look like a misspelt setting, a sentence each. */
    warnings: warningsOf(Object.keys(given)),
  }
}

/** Our names have an underscore; a name without one, such as HOSTNAME, may belong to another program. */
function warningsOf(given: string[]): string[] {
  const known = Object.keys(settings.entries)
  return given
    .filter((name) => /^[A-Z]+_[A-Z_]+$/.test(name) && !known.includes(name))
    .flatMap((name) => {
      const meant = nearestName(name, known)
      return meant === undefined ? [] : [`unknown setting ${name}: did you mean ${meant}?`]
    })
}

function configOf(values: Settings, command: CommandName, onTerminal: boolean) {
  const embedded = command === 'start' && values.DATABASE_URL === undefined
  const production = values.NODE_ENV === 'production'
  const databaseDirectUrl = values.DATABASE_DIRECT_URL ?? values.DATABASE_URL
  return {
    /** May name several servers (`parseDatabaseUrl`). Undefined only where the embedded database is used, or none. */
    databaseUrl: values.DATABASE_URL,
    /** The URL of the server itself, without a pooler; the same as `databaseUrl` unless it is set separately. */
    databaseDirectUrl,
    /** Whether `databaseUrl` leads through a pooler. */
    databasePooled: values.DATABASE_URL !== databaseDirectUrl,
    /** The standby that serves reads that may be a little late; undefined: the primary serves all reads. */
    databaseReadUrl: values.DATABASE_READ_URL,
    /** How far a read from the standby may be behind the primary. */
    databaseReadStalenessSeconds: values.DATABASE_READ_STALENESS_SECONDS,
    port: values.PORT ?? (command === 'supplier' ? 4000 : 3000),
    host: values.HOST,
    publicUrl: values.PUBLIC_URL,
    /** Where days and months of operators' figures begin. */
    businessTimeZone: values.BUSINESS_TIME_ZONE,
    logLevel: values.LOG_LEVEL,
    /** Ports of the metrics of the API and of the worker; undefined: off. */
    metricsPort: values.METRICS_PORT,
    workerMetricsPort: values.WORKER_METRICS_PORT,
    /** The request budget per 60 s of a client without one of its own (specification 8). */
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    /** How many proxies before the service add to `X-Forwarded-For`; 0: the header is ignored. */
    trustProxyHops: values.TRUST_PROXY_HOPS,
    /**
     * Hosts, `*.host` or whole origins from which writes are let in, as `parseEntry` gives them (specification 5, rule
     * 7).
     */
    allowedOrigins: values.ALLOWED_ORIGINS,
    /** Blocked networks that callbacks may reach (specification 6.7, rule 3 alone). */
    callbackAllowNetworks: callbackNetworks(values.CALLBACK_ALLOW_NETWORKS, production, embedded),
    /** The addresses and networks from which the workers send, for partners to read. */
    webhookSourceAddresses: values.WEBHOOK_SOURCE_ADDRESSES,
    /** DNS servers for callback names; undefined: the system's. */
    dnsServers: values.DNS_SERVERS,
    /** How long the API continues to serve after the signal to end, while load balancers remove it. */
    drainSeconds: values.DRAIN_SECONDS ?? (onTerminal && !production ? 0 : 5),
    webhookConcurrency: values.WEBHOOK_CONCURRENCY,
    supplierConcurrency: values.SUPPLIER_CONCURRENCY,
    /** After how many hours an unsettled item is stuck; may be fractional. */
    supplierDeadlineHours: values.SUPPLIER_DEADLINE_HOURS,
    /** After how many minutes without a usable answer to its calls a supplier is silent. */
    supplierSilentMinutes: values.SUPPLIER_SILENT_MINUTES,
    supplierUnsafeMinutes: values.SUPPLIER_UNSAFE_MINUTES,
    /** The token that the simulated supplier accepts, and its URL in the demo's catalog. */
    supplierToken: values.SUPPLIER_TOKEN,
    supplierUrl: values.SUPPLIER_URL,
    /** After how many days attempts, unusable answers of suppliers, and acknowledged alerts are removed. */
    retainDays: {
      attempts: values.RETAIN_ATTEMPTS_DAYS,
      raw: values.RETAIN_RAW_DAYS,
      alerts: values.RETAIN_ALERTS_DAYS,
      deliveryData: values.RETAIN_DELIVERY_DATA_DAYS,
    },
    /** The passwords that `migrate` gives to the logins of the other processes. */
    loginPasswords: {
      api: values.API_DB_PASSWORD,
      worker: values.WORKER_DB_PASSWORD,
      operator: values.OPERATOR_DB_PASSWORD,
    },
    alertWebhookUrl: values.ALERT_WEBHOOK_URL,
    alertWebhookFormat: values.ALERT_WEBHOOK_FORMAT,
    docsPassword: values.DOCS_PASSWORD,
    /** The keys that seal codes, secrets and tokens in the database; undefined: these are stored unsealed. */
    dataKeys: values.DATA_KEYS,
    /** The export of traces; undefined: off. */
    tracing: tracingOf(values),
    seedDemo: values.SEED_DEMO === undefined ? embedded : values.SEED_DEMO === '1',
    /** Whether `NODE_ENV` is `production`. */
    production,
  }
}

function tracingOf(values: Settings): TracingConfig | undefined {
  const common = values.OTEL_EXPORTER_OTLP_ENDPOINT
  const endpoint = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (common && `${common.replace(/\/$/, '')}/v1/traces`)
  if (endpoint === undefined || values.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined
  return {
    endpoint,
    serviceName: values.OTEL_SERVICE_NAME,
    sampler: values.OTEL_TRACES_SAMPLER,
    samplerArg: values.OTEL_TRACES_SAMPLER_ARG,
  }
}

function supplierHostsIn(given: { [name: string]: string | undefined }): Map<string, string[]> {
  try {
    return parseSupplierHosts(given)
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : 'SUPPLIER_HOST_ is wrong')
  }
}

function callbackNetworks(given: string | undefined, production: boolean, embedded: boolean): Network[] {
  if (given !== undefined && production) {
    throw new ConfigError('CALLBACK_ALLOW_NETWORKS must not be set where NODE_ENV is production')
  }
  const networks = given ?? (embedded && !production ? demoNetworks : '')
  try {
    return parseNetworks(networks)
  } catch (error) {
    throw new ConfigError(`CALLBACK_ALLOW_NETWORKS: ${error instanceof Error ? error.message : 'is wrong'}`)
  }
}

function areNetworks(entries: string[]): boolean {
  try {
    return parseNetworks(entries.join()).length === entries.length
  } catch {
    return false
  }
}

function isTimeZone(name: string): boolean {
  try {
    return !/^[+-]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== ''
  } catch {
    return false
  }
}

function areDnsServers(servers: string[]): boolean {
  try {
    new Resolver().setServers(servers)
    return true
  } catch {
    return false
  }
}

function faults(issues: v.BaseIssue<unknown>[]): string {
  const lines = issues.map((issue) => `${String(issue.path?.[0]?.key)} ${issue.message}`)
  return [...new Set(lines)].join('; ')
}
