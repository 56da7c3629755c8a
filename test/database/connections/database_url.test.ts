import { describe, expect, test } from 'vitest'
import { DatabaseUrlError, parseDatabaseUrl } from '../../../src/database/connections/database_url.ts'

/** The servers as URLs, and what they must be. */
function read(text: string): [target: string, ...urls: string[]] {
  const { servers, target } = parseDatabaseUrl(text)
  return [target, ...servers.map(({ url }) => url)]
}

function refusal(text: string): string {
  try {
    parseDatabaseUrl(text)
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message
    throw error
  }
  throw new Error('it was taken')
}

describe('a database URL of one server', () => {
  test('is itself, with a port', () => {
    expect(read('postgres://u:p@db.example/supply')).toEqual(['any', 'postgres://u:p@db.example:5432/supply'])
    expect(read('postgresql://db.example:6000')).toEqual(['any', 'postgresql://db.example:6000'])
    expect(read('postgres:///supply')).toEqual(['any', 'postgres:///supply'])
  })

  test('may name the required kind of server', () => {
    const url = 'postgres://u:p@db.example:5432/supply'
    expect(read(`${url}?target_session_attrs=primary`)).toEqual(['primary', url])
    expect(read(`${url}?sslmode=require&target_session_attrs=read-write`)).toEqual([
      'read-write',
      `${url}?sslmode=require`,
    ])
  })
})

describe('a database URL of several servers', () => {
  test('gives a URL for each, in their order, with their own ports', () => {
    expect(read('postgres://u:p@one:5433,two,three:5434/supply?target_session_attrs=any')).toEqual([
      'any',
      'postgres://u:p@one:5433/supply',
      'postgres://u:p@two:5432/supply',
      'postgres://u:p@three:5434/supply',
    ])
  })

  test('asks for one that takes writes, unless it says something else', () => {
    expect(read('postgres://one,two/supply')[0]).toBe('read-write')
    expect(read('postgres://one,two/supply?target_session_attrs=primary')[0]).toBe('primary')
  })

  test('takes IPv6 addresses in brackets', () => {
    const { servers } = parseDatabaseUrl('postgres://u@[::1],[2001:db8::2]:5433,127.0.0.1/supply')
    expect(servers).toEqual([
      { url: 'postgres://u@[::1]:5432/supply', host: '::1', port: 5432 },
      { url: 'postgres://u@[2001:db8::2]:5433/supply', host: '2001:db8::2', port: 5433 },
      { url: 'postgres://u@127.0.0.1:5432/supply', host: '127.0.0.1', port: 5432 },
    ])
  })

  test('leaves login, password, database and settings as they are', () => {
    const password = 'a@b:c,d/e?f#g%h'
    const text = `postgres://us%40er:${encodeURIComponent(password)}@one,two/my%20db?application_name=a%2Cb`
    for (const { url } of parseDatabaseUrl(text).servers) {
      const parsed = new URL(url)
      expect(decodeURIComponent(parsed.username)).toBe('us@er')
      expect(decodeURIComponent(parsed.password)).toBe(password)
      expect(parsed.pathname).toBe('/my%20db')
      expect(parsed.searchParams.get('application_name')).toBe('a,b')
    }
    expect(read('postgres://u:a,b@one,two/x').slice(1)).toEqual([
      'postgres://u:a,b@one:5432/x',
      'postgres://u:a,b@two:5432/x',
    ])
  })
})

test.each([
  ['mysql://one,two/x', 'must be a postgres:// URL'],
  ['one,two', 'must be a postgres:// URL'],
  ['postgres://one:x,two/x', 'must be a postgres:// URL'],
  ['postgres://one:65536/x', 'must be a postgres:// URL'],
  ['postgres://[::1,two/x', 'must be a postgres:// URL'],
  ['postgres://one:0,two/x', 'must have ports from 1 to 65535'],
  ['postgres://one,,two/x', 'must name each of its servers'],
  ['postgres://one,/x', 'must name each of its servers'],
  ['postgres://one,:5433/x', 'must be a postgres:// URL'],
  ['postgres://%2Fvar%2Frun/x', 'must name servers by host name or IP address'],
  [
    'postgres://one,two/x?target_session_attrs=standby',
    'must have a target_session_attrs of read-write, primary or any',
  ],
  ['postgres://one/x?target_session_attrs=', 'must have a target_session_attrs of read-write, primary or any'],
])('%s is refused', (text, message) => {
  expect(refusal(text)).toBe(message)
})
