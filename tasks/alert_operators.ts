import type { Task } from 'graphile-worker'
import { idOf, type Services } from '../src/worker/services.ts'

/**
 * Tells the operators that an alert is firing, or that it is resolved: a record in the log, and a post to the alert
 * webhook where one is set. Throws if the webhook does not take it, so that the queue tries again.
 */
export const alertOperators =
  ({ alerts }: Services): Task =>
  async (payload) => {
    const id = idOf(payload)
    for (let notice = await alerts.begin(id); notice !== null; notice = await alerts.begin(id)) {
      await alerts.send(id, notice)
      await alerts.finish(id, notice)
    }
  }
