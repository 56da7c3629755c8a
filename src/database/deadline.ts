import { DatabaseDeadline } from './errors.ts'

/** Waits for work for at most `ms` milliseconds; rejects with DatabaseDeadline after that. The work goes on. */
export async function withinTime<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseDeadline()), Math.max(0, ms))
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}
