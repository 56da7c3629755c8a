/** Waits for work for at most `ms` milliseconds; after that it returns what `late` does. The work goes on. */
export async function within<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms))
  })
  try {
    return await Promise.race([work, tooLate.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
