import { createHttpAdapter } from '../../../src/suppliers/http/adapter.ts'
import { type StandInAnswer, type StandInRequest, startStandIn } from '../../support/servers/supplier_stand_in.ts'
import type { ConformanceDriver, Plan, Standing, TestSupplier } from './driver.ts'

/** The protocol `http`, of which the whole is PUT and GET /orders/{reference}. */
export const httpDriver: ConformanceDriver = {
  protocol: 'http',
  create: createHttpAdapter,
  startSupplier,
  call: { sku: 'KEY-1' },
  foreign: { 'names another reference': ofAnother },
  outcomes: {
    refused: { outcome: 'answered', status: 'failed', errorCode: 'PLAYER_NOT_FOUND' },
    tokenExpired: { outcome: 'unknown' },
    byStatus: { 400: { outcome: 'answered', status: 'failed' }, 422: { outcome: 'answered', status: 'failed' } },
  },
}

async function startSupplier(): Promise<TestSupplier> {
  const plans = new Map<string, Plan>()
  const orders = new Set<string>()
  let token = 'a-token-of-nobody'
  let balance = 0

  function place(reference: string): StandInAnswer {
    const plan = plans.get(reference)
    if (plan === 'refuse') return { status: 422, json: { errorCode: 'PLAYER_NOT_FOUND' } }
    if (plan === 'out of stock') return { status: 422, json: { errorCode: 'OUT_OF_STOCK' } }
    orders.add(reference)
    return read(reference)
  }
  function read(reference: string): StandInAnswer {
    if (!orders.has(reference)) return { status: 404, json: {} }
    return { status: 200, json: { reference, supplierOrderId: `s-${reference}`, ...standingOf(plans, reference) } }
  }

  const standIn = await startStandIn({
    places: ({ method }) => method === 'PUT',
    answer: ({ method, path, headers }: StandInRequest) => {
      if (headers.authorization !== `Bearer ${token}`) return { status: 401, json: {} }
      if (path === '/balance') return { status: 200, json: { balance, currency: 'EUR' } }
      const reference = path.split('/').at(-1) ?? ''
      return method === 'PUT' ? place(reference) : read(reference)
    },
  })
  return {
    ...standIn,
    token,
    secret: token,
    plan: (reference, plan) => void plans.set(reference, plan),
    ordersFor: (reference) => (orders.has(reference) ? 1 : 0),
    changeToken: (next) => {
      token = next
    },
    fund: (amount) => {
      balance = amount
    },
  }
}

function standingOf(plans: Map<string, Plan>, reference: string): Standing {
  const plan = plans.get(reference)
  return typeof plan === 'object' ? plan : { status: 'processing', codes: [] }
}

function ofAnother({ json, ...answer }: StandInAnswer): StandInAnswer {
  return { ...answer, json: { ...(json as object), reference: crypto.randomUUID() } }
}
