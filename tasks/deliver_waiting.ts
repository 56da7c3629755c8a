import type { Task } from 'graphile-worker'
import type { Services } from '../src/worker/services.ts'
import { deliverWebhook } from './deliver_webhook.ts'

/**
 * As `deliverWebhook`, for an event that has been waiting: for the next rung of its ladder, or for room beside others
 * of its account.
 */
export const deliverWaiting = ({ waitingWebhooks }: Services): Task =>
  deliverWebhook({ webhooks: waitingWebhooks })
