import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

// What people read: the service writes it, so to reword it must change nothing.
const texts = '(?:error|detail|message|cause|lost|remedy)'

const patterns: [where: string, decides: string, pattern: RegExp][] = [
  ['db/functions/**/*.sql', 'the beginning of a text', new RegExp(`starts_with\\((?:\\w+\\.)?${texts}\\b`)],
  [
    'db/functions/**/*.sql',
    'a part of a text',
    new RegExp(`(?:split_part|substring|strpos)\\((?:\\w+\\.)?${texts}\\b`),
  ],
  [
    'db/functions/**/*.sql',
    'a pattern in a text',
    /\b\w+\.(?:error|detail|message|cause) (?:not )?(?:i?like|similar|~)/,
  ],
  [
    '{src,tasks}/**/*.ts',
    'a part of a text',
    new RegExp(`\\b${texts}\\.(?:startsWith|endsWith|includes|match|split)\\(`),
  ],
  ['{src,tasks}/**/*.ts', 'a pattern in a text', new RegExp(`/\\.test\\((?:\\w+\\.)?${texts}\\)`)],
  ['{src,tasks}/**/*.ts', 'a whole text', /\.(?:error|message|lost) [!=]== ['"`][^'"`]* /],
]

// These read texts of Node, of V8 and of graphile-worker, or only add words to a message.
const exempt = [
  'src/commands/receiver.ts',
  'src/http/validate.ts',
  'src/messages/json_fault.ts',
  'src/worker/queue/pools.ts',
]

test.each(patterns)('no file of %s decides by %s that the service wrote (%s)', (where, _, pattern) => {
  const files = globSync(where, { cwd: root }).filter(
    (file) => !exempt.includes(file) && !file.startsWith('src/site/assets'),
  )
  expect(files.length).toBeGreaterThan(50)
  const deciding = files.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')))
  expect(deciding).toEqual([])
})

test.each([
  ["case when starts_with(error, 'TLS: ') then 'tls_error'", 0],
  ["split_part(cause, ':', 1)", 1],
  ["exchange.lost.startsWith('connection')", 3],
  ['if (/timeout/.test(exchange.lost)) return', 4],
  ["listing.error === 'HTTP 401'", 5],
])('the pattern finds %s', (code, index) => {
  expect(code).toMatch(patterns[index]?.[2] as RegExp)
})
