import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { settings } from '../../src/config.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, '../../docs/operations', name), 'utf8')

const named = (text: string) => [...text.matchAll(/`([A-Z][A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)

/** The table's rows: the names of the first column, and the text of the second. */
const rows = [...read('settings.md').matchAll(/^\| (`[^|]+) \| ([^|]*) ?\|/gm)].map(([, names = '', value = '']) => ({
  names: named(names),
  defaults: value.split(',').map((part) => part.replaceAll('`', '').trim()),
}))

test('the pages of operations name every setting of src/config.ts', () => {
  const documented = new Set(['settings.md', 'traces.md'].flatMap((page) => named(read(page))))
  expect(Object.keys(settings.entries).filter((name) => !documented.has(name))).toEqual([])
})

test('the table of settings has no setting that src/config.ts does not know', () => {
  const known = new Set(Object.keys(settings.entries))
  expect(rows.length).toBeGreaterThan(25)
  expect(rows.flatMap(({ names }) => names).filter((name) => !known.has(name))).toEqual([])
})

test('the table of settings has the defaults of src/config.ts', () => {
  const wrong = rows.flatMap(({ names, defaults }) =>
    names.flatMap((name, n) => {
      const entry = settings.entries[name as keyof typeof settings.entries]
      const actual = entry.type === 'optional' ? v.getDefault(entry) : undefined
      return actual === undefined || actual === '' || defaults[n] === actual
        ? []
        : [`${name}: ${defaults[n]}, not ${actual}`]
    }),
  )
  expect(wrong).toEqual([])
})
