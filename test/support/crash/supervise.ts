import { setTimeout as sleep } from 'node:timers/promises'
import { type ServiceProcess, startWorkerProcess } from '../servers/service_process.ts'

/** A worker that is started again whenever it ends. */
export type Supervised = {
  /** Kills the one that runs. */
  stop(): Promise<void>
}

/** Runs a worker as a supervisor does. Resolves when the first one takes jobs. */
export async function supervise(databaseUrl: string): Promise<Supervised> {
  const started: ServiceProcess[] = []
  let stopped = false
  const start = async () => {
    const worker = await startWorkerProcess(databaseUrl)
    started.push(worker)
    if (stopped) await worker.kill()
    return worker
  }
  async function run(first: ServiceProcess): Promise<void> {
    for (let worker = first; ; worker = await start()) {
      await worker.ended
      if (stopped) return
      await sleep(100)
    }
  }
  const running = run(await start())
  return {
    stop: async () => {
      stopped = true
      await started.at(-1)?.kill()
      await running
    },
  }
}
