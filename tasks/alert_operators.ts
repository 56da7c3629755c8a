import type { Task } from 'graphile-worker'
import { idOf, type Services } from '../src/worker/services.ts'

/**
 * Sends one alert to the operators: an error record in the log, and a post to the alert webhook where one is set.
 * Throws if the webhook does not take it, so that the queue tries again.
 */
export const alertOperators =
  ({ alerts }: Services): Task =>
  async (payload) => {
    const id = idOf(payload)
    const alert = await alerts.begin(id)
    if (alert === null) return
    await alerts.send(id, alert)
    await alerts.finish(id)
  }
