/**
 * Runs some work at once, again after a random part of `ms` milliseconds, and then every `ms`, but not while the
 * previous run is under way. The work must not reject. Returns a function that ends this, and resolves when no run is
 * under way. `isBackground`: it keeps no process alive.
 */
export function repeat(ms: number, work: () => Promise<unknown>, { isBackground = false } = {}): () => Promise<void> {
  let underWay: Promise<unknown> | undefined
  const run = () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
  }
  run()
  // What starts together would take the cores of the database together at each turn.
  let timer = setTimeout(() => {
    run()
    timer = setInterval(run, ms)
    if (isBackground) timer.unref()
  }, Math.random() * ms)
  if (isBackground) timer.unref()
  return async () => {
    clearInterval(timer)
    await underWay
  }
}
