import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { dataKeyText } from '../support/data_keys.ts'
import { scriptArguments } from '../support/servers/service_process.ts'
import { type Process, startProcess } from './cluster.ts'

/** The logins' passwords, of this run. */
export const passwords = { api: 'api-password', worker: 'worker-password', operator: 'operator-password' }
const dataKeys = dataKeyText('k1')

/** The first API and worker name the three servers in their URL; the second ones go through HAProxy. */
const databases = ['db1,db2,db3', '127.0.0.1:5000']

function environment(role: 'api' | 'worker', number: 1 | 2): NodeJS.ProcessEnv {
  const hosts = databases[number - 1]
  return {
    DATABASE_URL: `postgres://supply_${role}_login:${passwords[role]}@${hosts}/supply?target_session_attrs=read-write`,
    CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
    RATE_LIMIT_PER_MINUTE: '1000000',
    DATA_KEYS: dataKeys,
    LOG_LEVEL: 'info',
  }
}

/** A process that is started again whenever it ends, as its supervisor does. */
export type Supervised = { restart(): Promise<void> }

function supervise(start: () => Process, isReady: () => Promise<boolean>): Supervised {
  let process: Process
  let isRestarting = false
  async function keep(): Promise<void> {
    for (;;) {
      process = start()
      await process.ended
      await sleep(isRestarting ? 0 : 1_000)
      isRestarting = false
    }
  }
  void keep()
  return {
    restart: async () => {
      isRestarting = true
      const before = process
      before.signal('SIGTERM')
      await before.ended
      await until(async () => process !== before && (await isReady()), 60)
    },
  }
}

export async function startApi(number: 1 | 2): Promise<Supervised> {
  const name = `api${number}`
  // On one machine the APIs cannot both have port 3000 of all its addresses.
  const host = number === 1 ? '127.0.0.2' : '127.0.0.3'
  const env = { ...environment('api', number), HOST: host, PORT: '3000', TRUST_PROXY_HOPS: '1' }
  const isReady = async () => (await statusOf(`http://${host}:3000/readyz`)) === 200
  const api = supervise(() => startProcess(name, process.execPath, scriptArguments('api'), env), isReady)
  await until(isReady, 60)
  return api
}

export async function startWorker(number: 1 | 2): Promise<Supervised> {
  const name = `worker${number}`
  const port = 9470 + number
  const env = { ...environment('worker', number), HOST: '127.0.0.1', WORKER_METRICS_PORT: String(port) }
  const isReady = async () => (await statusOf(`http://127.0.0.1:${port}/metrics`)) === 200
  const worker = supervise(() => startProcess(name, process.execPath, scriptArguments('worker'), env), isReady)
  await until(isReady, 60)
  return worker
}

async function statusOf(url: string): Promise<number | undefined> {
  try {
    const { statusCode, body } = await request(url, { headersTimeout: 5_000 })
    await body.dump()
    return statusCode
  } catch {
    return undefined
  }
}

/** Waits until something holds; throws after so many seconds. */
export async function until(holds: () => Promise<boolean> | boolean, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`this did not come within ${seconds} s: ${holds}`)
    await sleep(100)
  }
}
