import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const isText = /\.(ts|js|mjs|sql|md|http|html|py|php|go|java)$/
const files = ['src', 'db', 'tasks', 'docs', 'test']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  )
  .filter((file) => isText.test(file) && !/CONTRIBUTING\.md$|wording\.test\.ts$|\/dist\//.test(file))

// Words at which a reader whose second language is English stops. docs/CONTRIBUTING.md names some to write instead.
const words = [
  'anew|for ever|of late|dear|dearer|fares|mends?|lingers?|alarms?|hears? of|heard of|hopeless|patience|patiently',
  '(?:what|whatever) (?:be)?came of|came of it|(?:is|are) told|whatever dies|who waits|nobody waits|half a character',
].join('|')
const avoided = new RegExp(`\\b(?:${words})\\b|\\b(?:connections|orders|processes|those) of before\\b`, 'i')

test('the texts of the project avoid the words that readers stop at', () => {
  const found = [...files, 'README.md', 'docker-compose.yml'].flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, n) => (avoided.test(line) ? [`${file}:${n + 1}: ${line.trim()}`] : [])),
  )
  expect(files.length).toBeGreaterThan(500)
  expect(found).toEqual([])
})
