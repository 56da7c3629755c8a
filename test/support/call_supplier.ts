import type { JobHelpers, Task } from 'graphile-worker'
import pino from 'pino'
import { noSealing } from '../../src/sealing/sealing.ts'
import { noTracer } from '../../src/tracing/tracer.ts'
import { type CallSupplierOptions, createCallSupplier } from '../../tasks/call_supplier.ts'

/**
 * Returns a function that runs `tasks/call_supplier.ts` for an item. It resolves to the method of the call and the
 * verdict about its result, as the task's log record has them, or to null if no call was due.
 */
export function runCallSupplier(
  options: Pick<CallSupplierOptions, 'db' | 'call' | 'metrics'>,
): (itemId: string) => Promise<string | null> {
  const made = new Map<string, string>()
  const log = pino(
    { level: 'debug' },
    {
      write: (line) => {
        const { item, method, verdict } = JSON.parse(line)
        made.set(item, `${method} ${verdict}`)
      },
    },
  )
  const task: Task = createCallSupplier({
    ...{
      ...options,
      log,
      sealing: noSealing,
      tracer: noTracer,
      maxCallsPerSupplier: 100,
      deadline: '24 hours',
      unsafeAfter: '30 minutes',
    },
    firstAttempts: { lease: (call) => call({ to_send: 0, pool_id: null }), end: async () => {} },
  })
  return async (itemId) => {
    made.delete(itemId)
    await task({ id: itemId }, {} as JobHelpers)
    return made.get(itemId) ?? null
  }
}
