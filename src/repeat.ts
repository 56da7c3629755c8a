/**
 * Runs some work at once and then every `ms` milliseconds, but not while the previous run is under way. The work must
 * not reject. Returns a function that ends this, and resolves when no run is under way. `isBackground`: it keeps no
 * process alive.
 */
export function repeat(ms: number, work: () => Promise<unknown>, { isBackground = false } = {}): () => Promise<void> {
  let underWay: Promise<unknown> | undefined
  const run = () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
  }
  run()
  const timer = setInterval(run, ms)
  if (isBackground) timer.unref()
  return async () => {
    clearInterval(timer)
    await underWay
  }
}
