import { idOf, type Services } from '../src/worker/services.ts'

/**
 * Makes one attempt to deliver an event, if one is due. The attempt is counted before the send, so that no crash can add
 * one. Recording its outcome delivers the event, plans the next rung of the retry ladder, or makes a dead letter.
 * Specification 6.3 to 6.6.
 */
export const deliverWebhook =
  ({ webhooks, perform }: Pick<Services, 'webhooks' | 'perform'>) =>
  async (payload: unknown): Promise<void> => {
    const attempt = await webhooks.begin(idOf(payload))
    if (attempt !== null) await perform.delivery(webhooks, attempt)
  }
