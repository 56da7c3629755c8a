import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** How a process ended: with an exit code, or by a signal. */
export type Ending = { code: number | null; signal: NodeJS.Signals | null }

/** A worker in a process of its own. */
export type WorkerProcess = {
  /** Its log, one record a line. */
  records: { [field: string]: unknown }[]
  /** Resolves when the process is gone. */
  ended: Promise<Ending>
  signal(name: NodeJS.Signals): void
  /** Kills it as a power cut would, and waits until it is gone. Does nothing to one that has gone. */
  kill(): Promise<void>
}

const main = join(import.meta.dirname, '../../../src/main.ts')

/** Runs `npm run worker` against a database, and waits until it takes jobs. Rejects if it ends before. */
export async function startWorkerProcess(
  databaseUrl: string,
  settings: { [name: string]: string } = {},
): Promise<WorkerProcess> {
  const child = spawn(process.execPath, [main, 'worker'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = endingOf(child)
  const records: { [field: string]: unknown }[] = []
  const running = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const record = JSON.parse(line)
      records.push(record)
      if (record.msg === 'the worker runs') resolve()
    })
  })
  const complaints: string[] = []
  child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk.toString()))
  const failed = ended.then((ending) => {
    throw new Error(`the worker ended at once: ${JSON.stringify(ending)} ${complaints.join('')}`)
  })
  await Promise.race([running, failed])
  failed.catch(() => {})
  return {
    records,
    ended,
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function endingOf(child: ChildProcess): Promise<Ending> {
  const [code, signal] = await once(child, 'exit')
  return { code, signal }
}
