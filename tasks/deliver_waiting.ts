import type { Task } from 'graphile-worker'
import type { Services } from '../src/worker/services.ts'
import { deliverWebhook } from './deliver_webhook.ts'

/**
 * As `deliverWebhook`, for an attempt that may take its time: a repeated one, or one to a receiver that did not answer of
 * late. First attempts to the others have workers of their own and never wait for these.
 */
export const deliverWaiting = ({ waitingWebhooks }: Services): Task =>
  deliverWebhook({ webhooks: waitingWebhooks })
