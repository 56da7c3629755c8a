/** The time of this process, for all that other parties compare with their own clocks. */
export type Clock = {
  now(): Date
  /** By how many seconds the process's own clock is ahead of the database's (below 0: behind); null: at most by 30. */
  secondsAhead(): number | null
  /** Compares the clock with the database's; `ask` returns its time in milliseconds since 1970. */
  compare(ask: () => Promise<number | null>): Promise<void>
}

const toleranceMs = 30_000

/**
 * Makes a clock that follows the process's own one, or the database's where the two differ by more than 30 s. Between
 * two comparisons, it follows the monotonic clock. A process can be paused, but it cannot run ahead: if the database's
 * time is behind the time of the last comparison, the database's clock was set back, and is not followed.
 */
export function createClock(): Clock {
  let known: { ms: number; at: number } | undefined
  let secondsAhead: number | null = null
  const time = (at: number) => (known === undefined ? Date.now() : known.ms + at - known.at)
  return {
    now: () => new Date(time(performance.now())),
    secondsAhead: () => secondsAhead,
    async compare(ask) {
      const [own, at] = [Date.now(), performance.now()]
      const database = await ask()
      if (database === null) return
      const tookMs = performance.now() - at
      const ahead = own - database
      if (ahead <= toleranceMs && -ahead <= toleranceMs + tookMs) {
        secondsAhead = null
        known = { ms: own, at }
        return
      }
      secondsAhead = Math.round(ahead / 1_000)
      if (known === undefined || database > time(at) - toleranceMs) known = { ms: database, at }
    },
  }
}

/** The clock of this process. */
export const clock = createClock()

/** As `600 s ahead of the database's`. */
export function differenceInWords(secondsAhead: number): string {
  return `${Math.abs(secondsAhead)} s ${secondsAhead > 0 ? 'ahead of' : 'behind'} the database's`
}
