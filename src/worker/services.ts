import type { createAlerts } from './alerts.ts'
import type { Perform } from './perform.ts'
import type { createSimulations } from './simulations.ts'
import type { createSupplierCalls } from './supplier_calls.ts'
import type { createWebhookDeliveries } from './webhook_deliveries.ts'

/** What the tasks work with: each service takes a lease, makes the call, and records the result. */
export type Services = {
  suppliers: ReturnType<typeof createSupplierCalls>
  webhooks: ReturnType<typeof createWebhookDeliveries>
  waitingWebhooks: ReturnType<typeof createWebhookDeliveries>
  alerts: ReturnType<typeof createAlerts>
  simulations: ReturnType<typeof createSimulations>
  perform: Perform
}

/** The id that a job carries; jobs carry nothing else. Throws on any other payload. */
export function idOf(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'id' in payload && typeof payload.id === 'string') {
    return payload.id
  }
  throw new Error('a job without an id')
}
