import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mutants } from './list.ts'
import { mutate } from './mutant.ts'

const root = join(import.meta.dirname, '../..')

describe('the mutants', () => {
  test.each(mutants)('$name: changes what stands exactly once in its files', (mutant) => {
    for (const [file, text] of mutate(root, mutant)) {
      expect(text).not.toBe(readFileSync(join(root, file), 'utf8'))
    }
  })

  test('have names of their own', () => {
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
  })

  test('name test files that there are', () => {
    const named = new Set(mutants.flatMap(({ tests }) => tests))
    expect([...named].filter((file) => !existsSync(join(root, file)))).toEqual([])
    expect(mutants.filter(({ tests }) => tests.length === 0)).toEqual([])
  })
})
