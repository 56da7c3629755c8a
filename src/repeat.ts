/**
 * Runs some work at once and then every `ms` milliseconds, but not while the previous run is under way. The work must
 * not reject. Returns the timer, which the caller clears.
 */
export function repeat(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
  let isUnderWay = false
  const run = async () => {
    if (isUnderWay) return
    isUnderWay = true
    await work()
    isUnderWay = false
  }
  void run()
  return setInterval(run, ms)
}
