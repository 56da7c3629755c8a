import { type BatchOptions, batch } from '../../src/database/batch.ts'

type Run = { items: string[]; resolve: (answers: string[]) => void; reject: (error: Error) => void }

/** Lets everything that is ready to go on do so. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Calls for the first item, whose run begins, and then for the others, which wait for the next. */
export async function callInTurn<Out>(
  call: (item: string) => Promise<Out>,
  [first = '', ...others]: string[],
): Promise<Promise<Out>[]> {
  const calls = [call(first)]
  await turn()
  return [...calls, ...others.map(call)]
}

/** A batch whose runs the test answers by hand; without other answers, each item by its own name in capitals. */
export function manual(options: Omit<BatchOptions<string, string>, 'run'> = {}) {
  const runs: Run[] = []
  const batched = batch<string, string>({
    ...options,
    run: (items) => new Promise((resolve, reject) => runs.push({ items, resolve, reject })),
  })
  const call: typeof batched = (...args) => {
    const answer = batched(...args)
    // A test need not wait for all of its calls.
    answer.catch(() => {})
    return answer
  }
  const begun = async (index: number): Promise<Run> => {
    await turn()
    const run = runs[index]
    if (run === undefined) throw new Error(`run ${index} has not begun`)
    return run
  }
  return {
    call,
    runs,
    itemsOf: async (index: number) => (await begun(index)).items,
    answer: async (index: number, answers?: string[]) => {
      const { items, resolve } = await begun(index)
      resolve(answers ?? items.map((item) => item.toUpperCase()))
      await turn()
    },
    fail: async (index: number, error: Error) => (await begun(index)).reject(error),
  }
}
