import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * A fault that is put in on purpose, to see whether the tests notice it. It changes the line below the comment
 * `guard: <guard>`, wherever that is: the line is removed, or what a pattern finds in it is replaced.
 */
export type Mutant = {
  /** The rule that no longer holds. */
  guard: string
  change: 'remove' | [pattern: RegExp, replacement: string]
  /** The test files of which at least one test must turn red. */
  tests: string[]
}

/** The name of a mutant: its guard and its change. */
export const nameOf = ({ guard, change }: Mutant): string =>
  `${guard} (${typeof change === 'string' ? change : `${change[0].source} → ${change[1]}`})`

/** The files under a root that may have guards, with their texts. */
export function readGuarded(root: string): Map<string, string> {
  const names = ['db/functions', 'src', 'tasks'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const files = names.filter((name) => /\.(sql|ts)$/.test(name))
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

/** The guards that the comments of some texts name, in order. */
export function guardsIn(texts: Map<string, string>): string[] {
  return [...texts.values()].flatMap((text) =>
    [...text.matchAll(/^ *(?:--|\/\/) guard: (.*)$/gm)].map(([, guard = '']) => guard),
  )
}

/** The file of a mutant's guard, and its text with the fault. Throws where the change changes nothing. */
export function mutate(texts: Map<string, string>, mutant: Mutant): { file: string; text: string } {
  const { guard, change } = mutant
  for (const [file, text] of texts) {
    const lines = text.split('\n')
    const marker = lines.findIndex((line) => line.trim().replace(/^(--|\/\/) /, '') === `guard: ${guard}`)
    if (marker < 0) continue
    const line = lines[marker + 1] ?? ''
    const becomes = change === 'remove' ? [] : [line.replace(...change)]
    if (becomes[0] === line) throw new Error(`${nameOf(mutant)} does not change: ${line}`)
    lines.splice(marker + 1, 1, ...becomes)
    return { file, text: lines.join('\n') }
  }
  throw new Error(`no line is marked with "guard: ${guard}"`)
}
