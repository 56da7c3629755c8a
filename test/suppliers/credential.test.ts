import { expect, test } from 'vitest'
import { credentialFrom, settingOf } from '../../src/suppliers/credential.ts'

test.each([
  ['env:UPSTREAM_TOKEN', 'UPSTREAM_TOKEN'],
  ['env:A1', 'A1'],
  ['plain', undefined],
  ['env:', undefined],
  ['env:lower', undefined],
  ['env:WITH SPACE', undefined],
  [' env:A', undefined],
])('%s names the setting %s', (credential, name) => {
  expect(settingOf(credential)).toBe(name)
})

test('a credential is what stands there, or what the environment says', () => {
  const environment = { UPSTREAM_TOKEN: 'secret', EMPTY: '' }
  expect(credentialFrom('plain', environment)).toBe('plain')
  expect(credentialFrom('env:UPSTREAM_TOKEN', environment)).toBe('secret')
  expect(credentialFrom('env:MISSING', environment)).toBeUndefined()
  expect(credentialFrom('env:EMPTY', environment)).toBeUndefined()
})

test.each([
  'DATABASE_URL',
  'DATABASE_DIRECT_URL',
  'PGPASSWORD',
  'DOCS_PASSWORD',
  'DATA_KEYS',
  'API_DB_PASSWORD',
  'ALERT_WEBHOOK_URL',
  'OTEL_EXPORTER_OTLP_HEADERS',
])('%s of this service goes to no supplier', (name) => {
  expect(credentialFrom(`env:${name}`, { [name]: 'secret' })).toBeUndefined()
})
