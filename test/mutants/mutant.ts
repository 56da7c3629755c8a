import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One change of one file: `find` stands in it exactly once. */
type Patch = { file: string; find: string; replace: string }

/** A fault that is put in on purpose, to see whether the tests notice it. */
export type Mutant = Patch & {
  name: string
  /** The rule that no longer holds. */
  breaks: string
  /** Further patches, where one alone is no whole fault. */
  also?: Patch[]
  /** The test files of which at least one test must turn red. */
  tests: string[]
}

/** The texts of a mutant's files, with the fault. Throws where a text to be replaced is not found exactly once. */
export function mutate(root: string, mutant: Mutant): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { file, find, replace } of [mutant, ...(mutant.also ?? [])]) {
    const parts = (texts.get(file) ?? readFileSync(join(root, file), 'utf8')).split(find)
    if (parts.length !== 2) {
      throw new Error(`'${mutant.name}': ${file} has ${parts.length - 1} times: ${find}`)
    }
    texts.set(file, parts.join(replace))
  }
  return texts
}
