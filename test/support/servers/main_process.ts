import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterAll } from 'vitest'

const checkout = join(import.meta.dirname, '../../..')

/** A script of the service that runs. */
export type MainProcess = {
  child: ChildProcessByStdio<null, Readable, null>
  /** What it has printed. */
  output(): string
  /** Waits until it has printed this, and gives it. Rejects if it ends before. */
  printed(what: RegExp): Promise<string>
  /** Sends SIGTERM twice and returns the exit code. */
  end(): Promise<number | null>
}

const running: MainProcess['child'][] = []
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Makes a copy of what the service needs to run, for what a start keeps lies in its checkout. Returns the folder. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'supply-ordering-start-'))
  chmodSync(folder, 0o755)
  for (const part of ['db', 'docs', 'src', 'tasks', 'package.json'])
    cpSync(join(checkout, part), join(folder, part), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Runs a script of the service in the background, as npm does, until the test file ends. */
export function startMain(
  folder: string,
  name: string,
  settings: { [variable: string]: string } = {},
): MainProcess {
  const child = spawn(process.execPath, ['src/main.ts', name], {
    cwd: folder,
    env: { PATH: process.env.PATH, PORT: '0', DRAIN_SECONDS: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const exited = once(child, 'exit')
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  return {
    child,
    output: () => output,
    async printed(what) {
      while (!what.test(output)) {
        const ended = await Promise.race([
          once(child.stdout, 'data').then(() => false),
          exited.then(() => true),
        ])
        if (ended) throw new Error(`${name} ended: ${output}`)
      }
      return what.exec(output)?.[0] ?? ''
    },
    async end() {
      child.kill('SIGTERM')
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

/** Waits until a service is ready, and returns its address. */
export async function addressOf(service: MainProcess): Promise<string> {
  return (await service.printed(/^ready: http:\S+$/m)).replace('ready: ', '')
}
