import { expect, test } from 'vitest'
import { credentialFrom, settingOf } from '../../src/suppliers/credential.ts'

test.each([
  ['env:SUPPLIER_SECRET_UPSTREAM', 'SUPPLIER_SECRET_UPSTREAM'],
  ['env:SUPPLIER_SECRET_1', 'SUPPLIER_SECRET_1'],
  ['plain', undefined],
  ['env:', undefined],
  ['env:SUPPLIER_SECRET_', undefined],
  ['env:SUPPLIER_SECRET_lower', undefined],
  ['env:SUPPLIER_SECRET_A B', undefined],
  ['env:MY_SUPPLIER_SECRET_A', undefined],
  [' env:SUPPLIER_SECRET_A', undefined],
])('%s names the setting %s', (credential, name) => {
  expect(settingOf(credential)).toBe(name)
})

test('a credential is its own text, or the setting that it names', () => {
  const environment = { SUPPLIER_SECRET_UPSTREAM: 'secret', SUPPLIER_SECRET_EMPTY: '' }
  expect(credentialFrom('plain', environment)).toBe('plain')
  expect(credentialFrom('env:SUPPLIER_SECRET_UPSTREAM', environment)).toBe('secret')
  expect(credentialFrom('env:SUPPLIER_SECRET_MISSING', environment)).toBeUndefined()
  expect(credentialFrom('env:SUPPLIER_SECRET_EMPTY', environment)).toBeUndefined()
})

test.each(['DATABASE_URL', 'DOCS_PASSWORD', 'POSTGRES_PASSWORD', 'GITHUB_TOKEN', 'SECRET_CANARY', 'HOME'])(
  'the setting %s goes to no supplier',
  (name) => {
    expect(credentialFrom(`env:${name}`, { [name]: 'secret' })).toBeUndefined()
  },
)
