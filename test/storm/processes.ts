import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Relay, startRelay } from './relay.ts'
import type { StormServer } from './server.ts'

export type Part = 'api' | 'worker'

/** An API or worker under a supervisor: whenever it ends, it is started again. */
export type Supervised = {
  part: Part
  /** Between the process and the database. */
  relay: Relay
  /** Where the API listens at this moment. */
  port(): number | undefined
  signal(name: NodeJS.Signals): void
  /** Resolves when a process runs, and is ready. */
  ready(): Promise<void>
  /** How often it ended by itself. */
  endings(): { [how: string]: number }
  end(): Promise<void>
}

const main = join(import.meta.dirname, '../../src/main.ts')
const restartMs = 200

const settings: { [part in Part]: { [name: string]: string } } = {
  api: { PORT: '0', LOG_LEVEL: 'error', TRUST_PROXY_HOPS: '1', RATE_LIMIT_PER_MINUTE: '1000000', DRAIN_SECONDS: '1' },
  worker: { LOG_LEVEL: 'info' },
}

/** Starts the process of a part, with a relay of its own before the database. `say` gets what it complains of. */
export async function supervise(part: Part, server: StormServer, say: (line: string) => void): Promise<Supervised> {
  const relay = await startRelay(() => server.port)
  const url = new URL(server.url)
  url.port = String(relay.port)
  const endings: { [how: string]: number } = {}
  let child: ChildProcess | undefined
  let port: number | undefined
  let isReady = Promise.withResolvers<void>()
  let ended = false

  const start = () => {
    const started = spawn(process.execPath, [main, part], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        DATABASE_URL: url.href,
        CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
        ...settings[part],
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    server.adopt(started)
    const hear = (line: string) => {
      const address = /^ready: (http.*)$/.exec(line)?.[1]
      if (address !== undefined) port = Number(new URL(address).port)
      if (address !== undefined || line.includes('"the worker runs"')) isReady.resolve()
      else if (/"level":"(warn|error|fatal)"/.test(line)) say(`${part}: ${line}`)
    }
    createInterface({ input: started.stdout }).on('line', hear)
    createInterface({ input: started.stderr }).on('line', (line) => say(`${part}: ${line}`))
    started.once('exit', async (code, how) => {
      port = undefined
      const cause = String(how ?? code)
      endings[cause] = (endings[cause] ?? 0) + 1
      isReady = Promise.withResolvers()
      await sleep(restartMs)
      if (!ended) start()
    })
  }
  start()
  return {
    part,
    relay,
    port: () => port,
    signal: (name) => void child?.kill(name),
    ready: () => isReady.promise,
    endings: () => endings,
    end: async () => {
      ended = true
      const isGone = child === undefined || child.exitCode !== null || child.signalCode !== null
      if (child !== undefined && !isGone) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await relay.close()
    },
  }
}

/** Runs the migration, in a process of its own, straight to the database. Returns whether it went well. */
export async function migrateOnce(server: StormServer): Promise<boolean> {
  const child = spawn(process.execPath, [main, 'migrate'], {
    env: { PATH: process.env.PATH, DATABASE_URL: server.url },
    stdio: 'ignore',
  })
  server.adopt(child)
  const [code] = await once(child, 'exit')
  return code === 0
}
