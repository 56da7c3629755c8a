import { type StandInAnswer, startStandIn } from '../../support/servers/supplier_stand_in.ts'
import type { ConformanceDriver, Plan, TestSupplier } from '../conformance/driver.ts'
import { createVouchersAdapter } from './adapter.ts'

const states = { processing: 'open', completed: 'sold', failed: 'void' }
const refusals: Record<string, string> = { refuse: 'no such item', 'out of stock': 'sold out' }

/** The protocol `vouchers`, written from docs/suppliers.md alone. */
export const vouchersDriver: ConformanceDriver = {
  protocol: 'vouchers',
  create: createVouchersAdapter,
  startSupplier,
  call: { sku: 'ten-euros' },
  foreign: {
    'names another reference': ({ json, ...answer }) => ({
      ...answer,
      json: { ...(json as object), ref: crypto.randomUUID() },
    }),
  },
  outcomes: {
    refused: { outcome: 'not_placed', cause: 'settings' },
    tokenExpired: { outcome: 'not_placed', cause: 'credentials' },
  },
}

async function startSupplier(): Promise<TestSupplier> {
  const plans = new Map<string, Plan>()
  const sales: string[] = []
  let key = 'a-key-of-nobody'

  function read(ref: string): StandInAnswer {
    if (!sales.includes(ref)) return { status: 404, json: { problem: 'no sale' } }
    const plan = plans.get(ref)
    const { status, codes } = typeof plan === 'object' ? plan : { status: 'processing' as const, codes: [] }
    return { status: 200, json: { ref, state: states[status], vouchers: codes } }
  }
  const standIn = await startStandIn({
    places: ({ method }) => method === 'POST',
    answer: ({ places, headers, query, body }) => {
      if (headers.voucher_key !== key) return { status: 403, json: { problem: 'bad key' } }
      if (!places) return read(query.get('ref') ?? '')
      const { ref } = body as { ref: string }
      const problem = refusals[String(plans.get(ref))]
      if (problem !== undefined) return { status: 422, json: { problem } }
      sales.push(ref)
      return read(ref)
    },
  })
  return {
    ...standIn,
    token: key,
    secret: '',
    plan: (ref, plan) => void plans.set(ref, plan),
    ordersFor: (ref) => sales.filter((sale) => sale === ref).length,
    changeToken: (next) => {
      key = next
    },
  }
}
