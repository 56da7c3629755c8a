import { setTimeout as sleep } from 'node:timers/promises'

/** Lets calls share one run of some work: those that come while it is under way, or within `ms` of its beginning. */
export function shared<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let run: Promise<T> | undefined
  return () => {
    if (run === undefined) {
      run = work()
      void Promise.allSettled([run, sleep(ms, undefined, { ref: false })]).then(() => {
        run = undefined
      })
    }
    return run
  }
}
