import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

// What people read names functions and files that are there.
const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

function functionsOf(schema: string): Set<string> {
  const files = readdirSync(join(root, 'db/functions', schema), { recursive: true, encoding: 'utf8' })
  return new Set(files.filter((file) => file.endsWith('.sql')).map((file) => basename(file, '.sql')))
}

// The README's `api.x` and `core.x` stand for any.
const placeholders = new Set(['x'])

test.each(pages)('%s names functions and views that exist', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const named = [...text.matchAll(/(?<![\w.@/-])(api|work|core|ops)\.([a-z_]+)(?![\w./-])/g)]
  const unknown = named.filter(
    ([, schema = '', name = '']) => !placeholders.has(name) && !functionsOf(schema).has(name),
  )
  expect(unknown.map(([text]) => text)).toEqual([])
})

test.each(pages)('%s names files that exist', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
  const named = [...text.matchAll(/`((?:src|tasks|test|db|docs)\/[\w/.-]+)`/g)].map(([, file = '']) => file)
  expect(named.filter((file) => !existsSync(join(root, file)) && file !== 'db/functions/api/x.sql')).toEqual([])
})
