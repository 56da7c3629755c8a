/** The end of the storm, which everything that waits must notice. */
export type Calm = {
  hasBegun(): boolean
  begin(): void
  /** Waits so long, or until the calm begins. */
  pause(ms: number): Promise<void>
}

/** Makes a storm that is not over yet. */
export function awaitCalm(): Calm {
  const over = Promise.withResolvers<void>()
  let begun = false
  return {
    hasBegun: () => begun,
    begin: () => {
      begun = true
      over.resolve()
    },
    pause: (ms) => {
      let timer: NodeJS.Timeout | undefined
      const waited = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms)
      })
      return Promise.race([waited, over.promise]).finally(() => clearTimeout(timer))
    },
  }
}
