import type { Task } from 'graphile-worker'
import type { Services } from '../src/worker/services.ts'
import { deliverWebhook } from './deliver_webhook.ts'

/**
 * As `deliverWebhook`, for an attempt that may take long: a repeated one, or one to a receiver that has not answered
 * lately. First attempts to other receivers have workers of their own and never wait for these.
 */
export const deliverWaiting = ({ waitingWebhooks, perform }: Services): Task =>
  deliverWebhook({ webhooks: waitingWebhooks, perform })
