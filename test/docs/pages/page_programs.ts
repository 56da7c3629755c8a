import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../docs/programs')

/** A program in one language: its file, where that is, and what runs it. */
export type PageProgram = { file: string; path: string; command: string }

export const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.info('no python3 on this machine, hence not run: the programs in Python')

/** The program of this name in TypeScript and, where Python is on the machine, in Python. */
export function programsOf(name: string): PageProgram[] {
  const programs = [{ file: `${name}.ts`, command: process.execPath }]
  if (hasPython) programs.push({ file: `${name}.py`, command: 'python3' })
  return programs.map((program) => ({ ...program, path: join(folder, program.file) }))
}
