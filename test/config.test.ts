import { describe, expect, test } from 'vitest'
import { type CommandName, ConfigError, loadConfig } from '../src/config.ts'
import { contains } from '../src/network/networks.ts'

const database = { DATABASE_URL: 'postgres://somebody:secret@db.example/supply' }

/** An entry of DATA_KEYS. */
const dataKey = (id: string) => `${id}:${Buffer.alloc(32, 7).toString('base64')}`

/** The line with which a start is refused. */
function refusal(env: Record<string, string>, command: CommandName = 'start'): string {
  try {
    loadConfig(env, { command })
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('it was not refused')
}

/** What a setting gives: a value of it, how the configuration has that, and what it has without the setting. */
const read: [setting: string, value: string, name: string, given: unknown, byDefault?: unknown][] = [
  [
    'DATABASE_READ_URL',
    'postgres://u:p@standby.example/supply',
    'databaseReadUrl',
    'postgres://u:p@standby.example/supply',
  ],
  ['DATABASE_READ_STALENESS_SECONDS', '30', 'databaseReadStalenessSeconds', 30, 5],
  ['PORT', '8080', 'port', 8080, 3000],
  ['HOST', '0.0.0.0', 'host', '0.0.0.0', '127.0.0.1'],
  ['PUBLIC_URL', 'https://api.example/b2b//', 'publicUrl', 'https://api.example/b2b'],
  ['BUSINESS_TIME_ZONE', 'Europe/Berlin', 'businessTimeZone', 'Europe/Berlin', 'UTC'],
  ['WEBHOOK_SOURCE_ADDRESSES', '203.0.113.7', 'webhookSourceAddresses', ['203.0.113.7'], []],
  ['LOG_LEVEL', 'debug', 'logLevel', 'debug', 'info'],
  ['METRICS_PORT', '9100', 'metricsPort', 9100],
  ['WORKER_METRICS_PORT', '9101', 'workerMetricsPort', 9101],
  ['RATE_LIMIT_PER_MINUTE', '1000', 'rateLimitPerMinute', 1000, 500],
  ['TRUST_PROXY_HOPS', '2', 'trustProxyHops', 2, 0],
  [
    ...(['ALLOWED_ORIGINS', 'Shop.example, *.shop.example https://Last.example:443', 'allowedOrigins'] as const),
    ...([['shop.example', '*.shop.example', 'https://last.example'], []] as const),
  ],
  ['DNS_SERVERS', '127.0.0.1:5353 ::1', 'dnsServers', ['127.0.0.1:5353', '::1']],
  ['DRAIN_SECONDS', '0', 'drainSeconds', 0, 5],
  ['WEBHOOK_CONCURRENCY', '7', 'webhookConcurrency', 7, 200],
  ['SUPPLIER_CONCURRENCY', '8', 'supplierConcurrency', 8, 1000],
  ['SUPPLIER_DEADLINE_HOURS', '0.5', 'supplierDeadlineHours', 0.5, 24],
  ['SUPPLIER_SILENT_MINUTES', '15', 'supplierSilentMinutes', 15, 5],
  ['SUPPLIER_UNSAFE_MINUTES', '45', 'supplierUnsafeMinutes', 45, 30],
  ['SUPPLIER_TOKEN', 'token', 'supplierToken', 'token'],
  [
    'SUPPLIER_URL',
    'http://supplier.example:4000',
    'supplierUrl',
    'http://supplier.example:4000',
    'http://127.0.0.1:4000',
  ],
  ['RETAIN_ATTEMPTS_DAYS', '30', 'retainDays.attempts', 30, 90],
  ['RETAIN_RAW_DAYS', '3', 'retainDays.raw', 3, 7],
  ['RETAIN_ALERTS_DAYS', '31', 'retainDays.alerts', 31, 90],
  ['RETAIN_DELIVERY_DATA_DAYS', '45', 'retainDays.deliveryData', 45],
  ['API_DB_PASSWORD', 'an-api-password-', 'loginPasswords.api', 'an-api-password-'],
  ['WORKER_DB_PASSWORD', 'a-worker-password', 'loginPasswords.worker', 'a-worker-password'],
  ['OPERATOR_DB_PASSWORD', 'an-operator-password', 'loginPasswords.operator', 'an-operator-password'],
  ['ALERT_WEBHOOK_URL', 'https://hooks.example/alerts', 'alertWebhookUrl', 'https://hooks.example/alerts'],
  ['ALERT_WEBHOOK_FORMAT', 'alertmanager', 'alertWebhookFormat', 'alertmanager', 'slack'],
  ['DOCS_PASSWORD', 'open', 'docsPassword', 'open'],
  ['SEED_DEMO', '1', 'seedDemo', true, false],
]

test('every setting is read, and has its default', () => {
  const given = loadConfig({ ...database, ...Object.fromEntries(read.map(([setting, value]) => [setting, value])) })
  const byDefault = loadConfig(database)
  for (const [setting, , name, expected, usual] of read) {
    expect.soft(given, setting).toHaveProperty(name, expected)
    expect.soft(byDefault, setting).toHaveProperty(name, usual)
  }
  expect(byDefault).toMatchObject({ databaseUrl: database.DATABASE_URL, dataKeys: undefined, production: false })
})

test('CALLBACK_ALLOW_NETWORKS opens its networks, and by default none is open', () => {
  const open = loadConfig({ ...database, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8,10.1.0.0/16' }).callbackAllowNetworks
  expect([contains(open, '10.1.2.3'), contains(open, '10.2.2.3')]).toEqual([true, false])
  expect(loadConfig(database).callbackAllowNetworks).toEqual([])
})

test('a database may have several servers', () => {
  const url = 'postgres://u:p@one:5432,two:5433/supply?target_session_attrs=read-write'
  expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
})

test('an empty value counts as unset', () => {
  const empty = Object.fromEntries(
    ['PORT', 'HOST', 'LOG_LEVEL', 'METRICS_PORT', 'ALLOWED_ORIGINS', 'DNS_SERVERS', 'SEED_DEMO'].map((name) => [
      name,
      '',
    ]),
  )
  const { supplierCredential, supplierHosts, ...rest } = loadConfig({ ...database, ...empty })
  expect(loadConfig(database)).toMatchObject(rest)
  expect(supplierCredential('env:SUPPLIER_SECRET_TOKEN')).toBeUndefined()
  expect(supplierHosts('SUPPLIER_SECRET_TOKEN')).toBeUndefined()
})

describe('a wrong value stops the start with one line that names the variable', () => {
  test.each([
    ['DATABASE_URL', 'mysql://db.example/x'],
    ['DATABASE_URL', 'db.example'],
    ['DATABASE_URL', 'postgres://one,two/supply?target_session_attrs=standby'],
    ['DATABASE_URL', 'postgres://one,:5432/supply'],
    ['DATABASE_DIRECT_URL', 'http://db.example/supply'],
    ['DATABASE_READ_URL', 'standby.example'],
    ['DATABASE_READ_STALENESS_SECONDS', '1'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['HOST', 'http://x'],
    ['PUBLIC_URL', 'api.example'],
    ['LOG_LEVEL', 'loud'],
    ['BUSINESS_TIME_ZONE', 'Mars/Olympus'],
    ['SUPPLIER_HOST_NOVA', 'https://api.nova.example'],
    ['METRICS_PORT', '1.5'],
    ['WORKER_METRICS_PORT', 'x'],
    ['RATE_LIMIT_PER_MINUTE', '0'],
    ['TRUST_PROXY_HOPS', '-1'],
    ['RETAIN_ATTEMPTS_DAYS', '0'],
    ['RETAIN_RAW_DAYS', '1.5'],
    ['RETAIN_ALERTS_DAYS', '36501'],
    ['RETAIN_DELIVERY_DATA_DAYS', '0'],
    ['TRUST_PROXY_HOPS', 'true'],
    ['ALLOWED_ORIGINS', 'https://shop.example/path'],
    ['ALLOWED_ORIGINS', 'shop.example,*'],
    ['CALLBACK_ALLOW_NETWORKS', '127.0.0.0/33'],
    ['CALLBACK_ALLOW_NETWORKS', 'localhost'],
    ['DNS_SERVERS', 'dns.example'],
    ['DRAIN_SECONDS', '21'],
    ['WEBHOOK_CONCURRENCY', '0'],
    ['SUPPLIER_CONCURRENCY', 'many'],
    ['SUPPLIER_DEADLINE_HOURS', '0'],
    ['SUPPLIER_DEADLINE_HOURS', '-1'],
    ['SUPPLIER_DEADLINE_HOURS', '1e3'],
    ['SUPPLIER_SILENT_MINUTES', '0'],
    ['SUPPLIER_UNSAFE_MINUTES', '0'],
    ['ALERT_WEBHOOK_URL', 'ftp://hooks.example'],
    ['ALERT_WEBHOOK_FORMAT', 'teams'],
    ['SUPPLIER_URL', 'supplier.example'],
    ['API_DB_PASSWORD', 'short'],
    ['WORKER_DB_PASSWORD', 'breaks@the/url:of-it'],
    ['SEED_DEMO', 'yes'],
  ])('%s=%s', (name, value) => {
    const line = refusal({ ...database, [name]: value })
    expect(line).toMatch(new RegExp(`^${name}\\b`))
    expect(line).not.toContain('\n')
  })

  test('several wrong values stand in one line', () => {
    const line = refusal({ ...database, PORT: 'x', LOG_LEVEL: 'y' })
    expect(line).toMatch(/PORT .*LOG_LEVEL /)
    expect(line).not.toContain('\n')
  })

  test('a secret is not repeated', () => {
    expect(refusal({ DATABASE_URL: 'postgre://u:hunter2@db' })).not.toContain('hunter2')
    expect(refusal({ DATABASE_URL: 'postgres://u:hunter2@a,b:x/db' })).not.toContain('hunter2')
    expect(refusal({ ...database, ALERT_WEBHOOK_URL: 'x://hunter2' })).not.toContain('hunter2')
  })
})

describe('a pooler', () => {
  const directUrl = 'postgres://somebody:secret@server.example/supply'

  test('stands before the database where the direct way to it is another one', () => {
    expect(loadConfig({ ...database, DATABASE_DIRECT_URL: directUrl })).toMatchObject({
      databaseUrl: database.DATABASE_URL,
      databaseDirectUrl: directUrl,
      databasePooled: true,
    })
    const same = loadConfig({ ...database, DATABASE_DIRECT_URL: database.DATABASE_URL })
    expect(same.databasePooled).toBe(false)
  })

  test('is nothing without a database', () => {
    expect(refusal({ DATABASE_DIRECT_URL: directUrl })).toMatch(/^DATABASE_DIRECT_URL goes with DATABASE_URL/)
  })
})

describe('the embedded database', () => {
  test('is what start runs on where DATABASE_URL is not set', () => {
    expect(loadConfig({}, { command: 'start' }).databaseUrl).toBeUndefined()
  })

  test.each(['api', 'worker', 'migrate', 'seed'] as const)(
    'is none for npm run %s, which needs DATABASE_URL',
    (command) => {
      expect(refusal({}, command)).toMatch(/^DATABASE_URL /)
    },
  )

  test('opens callbacks to this machine and seeds the demo', () => {
    const config = loadConfig({}, { command: 'start' })
    expect(contains(config.callbackAllowNetworks, '127.0.0.1')).toBe(true)
    expect(config.seedDemo).toBe(true)
  })

  test('leaves both to the settings where they are set', () => {
    const env = { CALLBACK_ALLOW_NETWORKS: '10.0.0.0/8', SEED_DEMO: '0' }
    const config = loadConfig(env, { command: 'start' })
    expect(contains(config.callbackAllowNetworks, '127.0.0.1')).toBe(false)
    expect(config.seedDemo).toBe(false)
  })

  test('opens nothing in production', () => {
    const config = loadConfig({ NODE_ENV: 'production', DATA_KEYS: dataKey('k1') }, { command: 'start' })
    expect(config.callbackAllowNetworks).toEqual([])
    expect(config.production).toBe(true)
  })

  test('is not what a given database is', () => {
    const config = loadConfig(database, { command: 'start' })
    expect(config.callbackAllowNetworks).toEqual([])
    expect(config.seedDemo).toBe(false)
  })
})

test('in production, a start with opened networks is refused', () => {
  const env = { ...database, NODE_ENV: 'production', DATA_KEYS: dataKey('k1'), CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8' }
  expect(refusal(env)).toMatch(/^CALLBACK_ALLOW_NETWORKS .*production/)
  expect(loadConfig({ ...env, CALLBACK_ALLOW_NETWORKS: '' }).callbackAllowNetworks).toEqual([])
})

describe('DATA_KEYS', () => {
  test('is required in production by the processes that store codes, secrets and tokens', () => {
    const env = { ...database, NODE_ENV: 'production' }
    for (const command of ['start', 'api', 'worker'] as const)
      expect(refusal(env, command)).toMatch(/^DATA_KEYS must be set where NODE_ENV is production/)
    for (const command of ['migrate', 'supplier', 'demo'] as const)
      expect(loadConfig(env, { command }).dataKeys).toBeUndefined()
  })

  test('is a list of keys with their ids, in order', () => {
    const { dataKeys } = loadConfig({ ...database, DATA_KEYS: `${dataKey('k2')}, ${dataKey('k1')}` })
    expect(dataKeys?.map(({ id, key }) => [id, key.symmetricKeySize])).toEqual([
      ['k2', 32],
      ['k1', 32],
    ])
  })

  test.each([
    ['a key of 16 bytes', `k1:${Buffer.alloc(16, 7).toString('base64')}`],
    ['a key without an id', Buffer.alloc(32, 7).toString('base64')],
    ['the same id twice', `${dataKey('k1')},${dataKey('k1')}`],
    ['an empty entry', `${dataKey('k1')},`],
  ])('with %s is refused in a line that shows no key', (_, value) => {
    const line = refusal({ ...database, DATA_KEYS: value })
    expect(line).toMatch(/^DATA_KEYS must be a list such as k2:KEY,k1:KEY/)
    expect(line).not.toContain('BwcH')
  })
})

test('npm run supplier listens on 4000 unless PORT says otherwise', () => {
  expect(loadConfig({}, { command: 'supplier' }).port).toBe(4000)
  expect(loadConfig({ PORT: '4001' }, { command: 'supplier' }).port).toBe(4001)
})

test('a variable that looks like a misspelt setting is named, and others are not', () => {
  const given = { RATE_LIMIT: '5', DATABASE_URI: 'x', SUPPLIER_CONCURENCY: '1', SOME_OTHER: 'x', PGHOST: 'x' }
  expect(loadConfig({ ...database, ...given }).warnings).toEqual([
    'unknown setting RATE_LIMIT: did you mean RATE_LIMIT_PER_MINUTE?',
    'unknown setting DATABASE_URI: did you mean DATABASE_URL?',
    'unknown setting SUPPLIER_CONCURENCY: did you mean SUPPLIER_CONCURRENCY?',
  ])
  expect(loadConfig({ ...database, SUPPLIER_SECRET_A: 'x', NODE_ENV: 'test' }).warnings).toEqual([])
})
