import { expect, test } from 'vitest'
import { originAllowed, parseEntry, parseOrigin } from '../../src/network/origin.ts'
import { testDatabase } from '../support/database.ts'

const database = testDatabase()

const cases: [allowed: string, origin: string, matches: boolean][] = [
  ['shop.example', 'https://shop.example', true],
  ['shop.example', 'http://shop.example:8080', true],
  ['Shop.Example', 'https://SHOP.example', true],
  ['shop.example', 'https://www.shop.example', false],
  ['shop.example', 'https://badshop.example', false],
  ['shop.example', 'https://shop.example.evil', false],
  ['shop.example', 'https://evil@shop.example', false],
  ['shop.example', 'https://shop.example/', false],
  ['shop.example', 'shop.example', false],
  ['shop.example', 'null', false],
  ['shop.example', '', false],
  ['*.shop.example', 'https://www.shop.example', true],
  ['*.shop.example', 'https://a.b.shop.example:444', true],
  ['*.shop.example', 'https://shop.example', false],
  ['*.shop.example', 'https://evil@a.shop.example', false],
  ['*.shop.example', 'https://evil#a.shop.example', false],
  ['*.shop.example', 'https://evil?a.shop.example', false],
  ['*.shop.example', 'https://evil\\a.shop.example', false],
  ['*.shop.example', 'https://evil a.shop.example', false],
  ['*.shop.example', 'https://evil/a.shop.example', false],
  ['*.shop.example', 'https://wwwshop.example', false],
  ['https://shop.example:8443', 'https://shop.example:8443', true],
  ['https://shop.example:8443', 'https://shop.example', false],
  ['https://shop.example:8443', 'http://shop.example:8443', false],
  ['https://shop.example', 'https://shop.example:443', true],
  ['https://shop.example:443', 'https://shop.example', true],
  ['http://shop.example', 'http://shop.example:80', true],
  ['http://shop.example', 'http://shop.example:443', false],
  ['HTTPS://Shop.Example:443', 'https://shop.example', true],
  ['[::1]', 'http://[::1]:3000', true],
  ['[0:0::1]', 'http://[::1]', true],
  ['https://[2001:DB8:0:0::7]:443', 'https://[2001:db8::7]', true],
  ['*.shop.example', `https://${'a.'.repeat(130)}shop.example`, true],
  ['*.shop.example', `https://${'a.'.repeat(150)}shop.example`, false],
  ['shop.example', 'https://shop.example:0443', false],
  ['shop.example', 'https://shop.example:65536', false],
  ['shop.example', 'https://shop.example.', false],
  ['*.shop.example', 'https://.shop.example', false],
  ['*.shop.example', 'https://*.shop.example', false],
]

/** Whether the service lets an `Origin` header pass that has these entries in ALLOWED_ORIGINS. */
function passes(header: string, entries: string[]): boolean {
  const origin = parseOrigin(header)
  return (
    origin !== undefined &&
    originAllowed(
      origin,
      entries.map((entry) => parseEntry(entry) ?? ''),
    )
  )
}

test.each(cases)('%s and the origin %s: %s', (allowed, origin, matches) => {
  expect(passes(origin, [allowed])).toBe(matches)
  expect(passes(origin, ['other.example', allowed])).toBe(matches)
})

test('an empty list allows none', () => {
  expect(passes('https://shop.example', [])).toBe(false)
})

test('the service’s list and a key’s list are read by the same rules', async () => {
  const given = cases.map(([allowed, origin]) => [allowed, parseOrigin(origin)?.whole ?? ''])
  const rows = await database.sql<{ entry: string; matches: boolean }[]>`
    select (core.clean_origins(array[c ->> 0]))[1] as entry,
      core.origin_allowed(c ->> 1, core.clean_origins(array['other.example', c ->> 0])) as matches
    from jsonb_array_elements(${database.sql.json(given)}) with ordinality as t (c, place) order by place`
  expect(rows.map(({ matches }, index) => [...(cases[index] ?? []).slice(0, 2), matches])).toEqual(cases)
  expect(rows.map(({ entry }) => entry)).toEqual(cases.map(([allowed]) => parseEntry(allowed)))
})

test.each(['shop.example', '*.shop.example', 'https://shop.example:8443', 'localhost', '[::1]'])(
  '%s can stand in a list',
  (entry) => {
    expect(parseEntry(entry)).toBe(entry)
  },
)

test.each([
  '*',
  'https://shop.example/path',
  'shop.example/',
  'https://*.shop.example',
  'shop.example:80',
  '*.[::1]',
  '[::g]',
  'shop.example.',
  'a b',
  '',
  '*.',
])('"%s" can not', (entry) => {
  expect(parseEntry(entry)).toBeUndefined()
})
