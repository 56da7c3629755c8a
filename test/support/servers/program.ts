import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const main = join(import.meta.dirname, '../../../src/main.ts')

/** A command of the service in a process of its own. */
export type Program = {
  /** What it wrote to standard output and standard error so far. */
  output(): string
  /** Waits until its output has a text that fits, and returns the match. Rejects if the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves to the exit code when it has ended. */
  ended: Promise<number | null>
  /** Ends it at once. */
  kill(): Promise<void>
}

/** Runs `npm run <command>` with these settings and no others. */
export function startProgram(command: string, settings: { [name: string]: string }): Program {
  const child = spawn(process.execPath, [main, command], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return {
    output: () => output,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output)
          if (match) resolve(match)
        }
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        ended.then(() => reject(new Error(`npm run ${command} ended: ${output}`)))
        look()
      }),
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
