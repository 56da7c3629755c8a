import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const checkout = join(import.meta.dirname, '../../..')
const running = new Set<() => void>()
process.on('exit', () => {
  for (const kill of running) kill()
})

/** How a process ended: with an exit code, or by a signal. */
type Ending = { code: number | null; signal: NodeJS.Signals | null }

/** A command of the service in a process of its own. */
export type ServiceProcess = {
  pid: number | undefined
  /** What it wrote to standard output and standard error so far. */
  output(): string
  /** The records of its log so far. */
  records(): { [field: string]: unknown }[]
  /** Waits until its output matches, and returns the match. Rejects if the process ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>
  /** Resolves when it has ended and all its output was read. */
  ended: Promise<Ending>
  signal(name: NodeJS.Signals): void
  /** Sends SIGTERM, and returns the exit code. */
  end(): Promise<number | null>
  /** Kills it as a power cut would, and waits until it is gone. Does nothing to one that has gone. */
  kill(): Promise<void>
}

/** The arguments of node with which `npm run` starts a part of the service, in this checkout or another one. */
export function scriptArguments(part: 'api' | 'worker', folder = checkout): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return scripts[part].replace('exec node ', '').split(' ')
}

/** Runs `npm run <command>` with these settings and no others. */
export function startProcess(
  command: string,
  settings: { [name: string]: string } = {},
  folder = checkout,
): ServiceProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, ['src/main.ts', command], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const killNow = () => void child.kill('SIGKILL')
  running.add(killNow)
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    running.delete(killNow)
    return { code, signal }
  })
  return {
    pid: child.pid,
    output: () => output,
    records: () => {
      const lines = output.slice(0, output.lastIndexOf('\n') + 1).split('\n')
      return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    },
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
    signal: (name) => void child.kill(name),
    end: async () => {
      child.kill('SIGTERM')
      return (await ended).code
    },
    kill: async () => {
      killNow()
      await ended
    },
  }
}

/** Runs `npm run worker` against a database, and waits until it takes jobs. */
export async function startWorkerProcess(
  databaseUrl: string,
  settings: { [name: string]: string } = {},
): Promise<ServiceProcess> {
  const worker = startProcess('worker', {
    DATABASE_URL: databaseUrl,
    CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
    ...settings,
  })
  await worker.says(/"the worker runs"/)
  return worker
}

export type ApiProcess = ServiceProcess & { url: string }

/** Runs `npm run api` against a database on a free port, and waits until it serves. */
export async function startApiProcess(
  databaseUrl: string,
  settings: { [name: string]: string } = {},
): Promise<ApiProcess> {
  const api = startProcess('api', {
    DATABASE_URL: databaseUrl,
    CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '1000000',
    LOG_LEVEL: 'silent',
    ...settings,
  })
  return { ...api, url: await addressOf(api) }
}

/** Waits until a service is ready, and returns its address. */
export async function addressOf(service: ServiceProcess): Promise<string> {
  return (await service.says(/^ready: (http:\S+)$/m))[1] ?? ''
}

/** Copies the parts of the checkout that a start needs, for a start keeps its data there. Returns the folder. */
export function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'supply-ordering-start-'))
  chmodSync(folder, 0o755)
  for (const part of ['db', 'docs', 'src', 'tasks', 'package.json'])
    cpSync(join(checkout, part), join(folder, part), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
