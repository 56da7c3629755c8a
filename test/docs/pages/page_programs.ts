import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blocksOf, guideText } from '../guide_text.ts'

const folder = join(import.meta.dirname, '../../../docs/programs')

/** A program in one language: its file, where that is, and what runs it. */
export type PageProgram = { file: string; path: string; command: string }

/**
 * The program of this name in TypeScript and, where it is on the machine, in Python. Adds the tests that the page shows
 * both as they stand.
 */
export function programsOf(name: string, page: string): PageProgram[] {
  const hasPython = spawnSync('python3', ['--version']).status === 0
  if (!hasPython) console.info(`no python3 on this machine, hence not run: ${name}.py`)
  const programs = [
    { file: `${name}.ts`, command: process.execPath, runs: true },
    { file: `${name}.py`, command: 'python3', runs: hasPython },
  ].map((program) => ({ ...program, path: join(folder, program.file) }))

  test.each(programs)('the page shows $file as it stands', ({ file, path }) => {
    const shown = blocksOf(guideText(page)).find((block) => block.file === `../programs/${file}`)
    expect(`${shown?.text}\n`).toBe(readFileSync(path, 'utf8'))
    expect(shown?.isTab).toBe(true)
  })

  return programs.filter(({ runs }) => runs)
}
