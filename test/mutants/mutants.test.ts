import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mutants } from './list.ts'
import { guardsIn, mutate, nameOf, readGuarded } from './mutant.ts'

const root = join(import.meta.dirname, '../..')
const texts = readGuarded(root)

test.each(mutants.map((mutant) => ({ name: nameOf(mutant), mutant })))(
  'the mutant changes the line of its guard: $name',
  ({ mutant }) => {
    const { file, text } = mutate(texts, mutant)
    expect(text).not.toBe(texts.get(file))
  },
)

test('each guard has one place and at least one mutant', () => {
  expect(guardsIn(texts).sort()).toEqual([...new Set(mutants.map(({ guard }) => guard))].sort())
})

test('the test files of mutants exist', () => {
  const named = new Set(mutants.flatMap(({ tests }) => tests))
  expect([...named].filter((file) => !existsSync(join(root, file)))).toEqual([])
})
