import { expect, test } from 'vitest'
import { checkCallbackUrl } from '../../../src/webhooks/callback_url.ts'
import { startDeadline } from '../../../src/webhooks/deadline.ts'
import { errorText, tlsErrorText } from '../../../src/webhooks/error_text.ts'
import { testDatabase } from '../../support/database.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase()

const shown = (error: string | null, outcome: string | null = 'retry', status: number | null = null) =>
  oneValue(database.sql`select core.delivery_error(${outcome}::text, ${status}::int, ${error}::text)`)

const failure = (code: string) => errorText(Object.assign(new Error('SECRET'), { code }))
const tlsFailure = (code: string) => tlsErrorText(Object.assign(new Error('SECRET'), { code }))

function refusal(url: string): string {
  const verdict = checkCallbackUrl(url, [])
  if (verdict.ok) throw new Error(`${url} is not refused`)
  return verdict.reason
}

// What the sender records, made by what makes it, or as send.ts, connect.ts and exchange.ts write it.
test.each([
  [startDeadline(10_000).expired('connect'), 'timeout'],
  [startDeadline(10_000).expired('name resolution'), 'timeout'],
  [failure('ETIMEDOUT'), 'timeout'],
  [failure('ECONNREFUSED'), 'connection_error'],
  [failure('ECONNRESET'), 'connection_error'],
  [failure('EHOSTUNREACH'), 'connection_error'],
  [failure('ENETUNREACH'), 'connection_error'],
  [failure('ESOMETHING'), 'connection_error'],
  [failure('HPE_INVALID_CONSTANT'), 'bad_response'],
  [failure('HPE_HEADER_OVERFLOW'), 'bad_response'],
  [failure('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls_error'],
  [tlsFailure('CERT_HAS_EXPIRED'), 'tls_error'],
  [tlsFailure('ETIMEDOUT'), 'tls_error'],
  ['not an HTTP response: unexpected upgrade', 'bad_response'],
  ['too much before the response', 'bad_response'],
  ['invalid status 999', 'bad_response'],
  ['name does not resolve: ESERVFAIL', 'name_not_resolved'],
  ['the name resolves to the blocked address 10.1.2.3', 'blocked_address'],
  ['connected to 127.0.0.1, not to 0.0.0.0', 'blocked_address'],
  [refusal('http://10.1.2.3/'), 'blocked_address'],
  [refusal('http://localhost/'), 'invalid_url'],
  [refusal('ftp://hooks.example/'), 'invalid_url'],
  [refusal('http://[::1]/'), 'invalid_url'],
  ['whatever comes', 'connection_error'],
])('%s is shown as %s', async (error, word) => {
  expect(await shown(error)).toBe(word)
})

test('a status is shown by its number, and a lost attempt as lost', async () => {
  expect(await shown(null, 'retry', 503)).toBe('http_503')
  expect(await shown(null, 'dead', 302)).toBe('http_302')
  expect(await shown(null, 'lost')).toBe('lost')
})

test('an attempt that was delivered, or is under way, has no error', async () => {
  expect(await shown(null, 'delivered', 200)).toBeNull()
  expect(await shown(null, null)).toBeNull()
})
