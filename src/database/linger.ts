/** How a batch waits for more entries: see `createLinger`. */
export type LingerOptions<In> = {
  /** The next run begins at most so many milliseconds after the one before, */
  ms: number
  /** as soon as so many entries wait, */
  size: number
  /** and at once with an entry that is urgent. */
  isUrgent: (entry: In) => boolean
}

// After so many runs, at first and at most, lingering is tried again where nobody had come.
const [fewestRuns, mostRuns] = [4, 256]

/**
 * Lets a batch that has one run under way at a time linger for more entries: a run of two costs nearly as much as one of
 * eight, so while entries come steadily, a few milliseconds let them share one. It lingers after a run of several only:
 * what comes alone never waits. Where all who would come are here already, as a few clients that each wait for an answer
 * before they send the next request, lingering brings nobody: where its latter half was silent, the next runs begin
 * at once, twice as many each time.
 */
export function createLinger<In>({ ms, size, isUrgent }: LingerOptions<In>) {
  let began = 0
  let lastArrival: number | undefined
  let isUrgentHere = false
  let end: ((reason: 'size' | 'urgency') => void) | undefined
  let runsAtOnce = 0
  let nextRunsAtOnce = fewestRuns

  function learn(isSilent: boolean): void {
    runsAtOnce = isSilent ? nextRunsAtOnce : 0
    nextRunsAtOnce = isSilent ? Math.min(nextRunsAtOnce * 2, mostRuns) : fewestRuns
  }

  return {
    /** Notes that a run begins, with what waits. */
    begin(): void {
      began = performance.now()
      lastArrival = undefined
      isUrgentHere = false
    },

    /** Notes that an entry has come, and how many wait now. */
    arrive(entry: In, waiting: number): void {
      lastArrival = performance.now()
      isUrgentHere ||= isUrgent(entry)
      if (waiting >= size) end?.('size')
      else if (isUrgentHere) end?.('urgency')
    },

    /** Lingers after a run of so many entries, while so many wait. */
    async linger(ran: number, waiting: number): Promise<void> {
      const left = began + ms - performance.now()
      if (ran < 2 || isUrgentHere || waiting >= size || left <= 0) return
      if (runsAtOnce > 0) {
        runsAtOnce -= 1
        return
      }
      const { promise, resolve } = Promise.withResolvers<'size' | 'urgency' | 'time'>()
      const timer = setTimeout(resolve, left, 'time')
      end = resolve
      const reason = await promise
      end = undefined
      clearTimeout(timer)
      if (reason === 'size') learn(false)
      if (reason === 'time' && lastArrival !== undefined) learn(performance.now() - lastArrival > ms / 2)
      // Who comes in the same turn of the event loop goes, too.
      if (reason !== 'time') await new Promise((resume) => setImmediate(resume))
    },
  }
}
