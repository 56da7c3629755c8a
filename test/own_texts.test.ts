import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

// What people read: the service writes it, so to reword it must change nothing.
const texts = '(?:cause|detail|error|fault|held_reason|lost|message|problem|remedy|subject|verdict|what)'
const sql = 'db/functions/**/*.sql'
const programs = '{src,tasks,test/{bench,ha,mutants,storm,support}}/**/*.ts'

const patterns: [where: string, decides: string, pattern: RegExp][] = [
  [sql, 'the beginning of a text', new RegExp(`starts_with\\((?:\\w+\\.)?${texts}\\b`)],
  [sql, 'a part of a text', new RegExp(`(?:split_part|substring|substr|strpos|regexp_\\w+)\\((?:\\w+\\.)?${texts}\\b`)],
  [sql, 'a pattern in a text', new RegExp(`\\b${texts} (?:not )?(?:i?like|similar to|!?~\\*?) `)],
  [
    programs,
    'a part of a text',
    new RegExp(`\\b${texts}\\??\\.(?:startsWith|endsWith|includes|match|search|split)\\(`),
  ],
  [programs, 'a pattern in a text', new RegExp(`/\\.(?:test|exec)\\((?:\\w+\\.)?${texts}\\)`)],
  [programs, 'a whole text', /\.(?:error|message|lost) [!=]== ['"`][^'"`]* /],
]

// These read texts of Node, of V8 and of graphile-worker, only add words to a message, or check what any login may send.
const exempt = [
  'db/functions/core/sealing/alert_unreadable.sql',
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
  ["where j.fault like 'rate%'", 2],
  ["exchange.lost.startsWith('connection')", 3],
  ['if (/timeout/.test(exchange.lost)) return', 4],
  ["listing.error === 'HTTP 401'", 5],
])('the pattern finds %s', (code, index) => {
  expect(code).toMatch(patterns[index]?.[2] as RegExp)
})
