import { expect, test } from 'vitest'
import { isOriginPattern, originAllowed } from '../../src/http/origin.ts'
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
  ['[::1]', 'http://[::1]:3000', true],
]

test.each(cases)('%s and the origin %s: %s', (allowed, origin, matches) => {
  expect(originAllowed(origin, [allowed])).toBe(matches)
  expect(originAllowed(origin, ['other.example', allowed])).toBe(matches)
})

test('an empty list allows none', () => {
  expect(originAllowed('https://shop.example', [])).toBe(false)
})

test('the service’s list and a key’s list are read by the same rules', async () => {
  const rows = await database.sql<{ matches: boolean }[]>`
    select core.origin_allowed(c ->> 1, array[c ->> 0]) as matches
    from jsonb_array_elements(${database.sql.json(cases as never)}) with ordinality as t (c, place) order by place`
  expect(rows.map(({ matches }, index) => [...(cases[index] ?? []).slice(0, 2), matches])).toEqual(cases)
})

test.each(['shop.example', '*.shop.example', 'https://shop.example:8443', 'localhost', '[::1]'])(
  '%s can stand in a list',
  (entry) => {
    expect(isOriginPattern(entry)).toBe(true)
  },
)

test.each(['*', 'https://shop.example/path', 'shop.example/', 'https://*.shop.example:x', 'a b', '', '*.'])(
  '"%s" can not',
  (entry) => {
    expect(isOriginPattern(entry)).toBe(false)
  },
)
