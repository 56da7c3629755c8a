import { Agent } from 'undici'
import { signature } from '../common/sign.ts'
import { finalAfter, resultOf, type SimulatedOrder } from './simulator_orders.ts'

/** What the simulator tells its log: each call with the status it answered (`silence`: none), each push. */
export type SimulatorEvent = {
  event: 'call' | 'push'
  method: string
  path: string
  answer: number | 'silence' | 'connection error'
}

/** Where results are pushed: `url` is the service's address, `supplierCode` the simulator's code there. */
export type PushTarget = { url: string; supplierCode: string }

/** Pushes the results of orders as they become final. `close` drops those that are still to come. */
export type Pusher = { schedule: (order: SimulatedOrder) => void; close: () => Promise<void> }

type PusherOptions = {
  target: PushTarget | undefined
  token: string
  timeScale: number
  log: (event: SimulatorEvent) => void
}

/**
 * Makes the part of the simulator that pushes results to POST /suppliers/{code}/results, signed with its token.
 * A push is tried once: who misses it asks with GET. Without a target nothing is pushed.
 */
export function createPusher({ target, token, timeScale, log }: PusherOptions): Pusher {
  if (target === undefined) return { schedule: () => {}, close: async () => {} }
  const agent = new Agent({ allowH2: false, headersTimeout: 10_000, bodyTimeout: 10_000 })
  const timers = new Set<NodeJS.Timeout>()
  const path = `/suppliers/${target.supplierCode}/results`
  const push = async (order: SimulatedOrder) => {
    const answer = await post(agent, new URL(target.url).origin, path, signed(order, token))
    log({ event: 'push', method: 'POST', path, answer })
  }
  const schedule = (order: SimulatedOrder) => {
    const seconds = finalAfter(order)
    if (seconds === 0 || seconds === Number.POSITIVE_INFINITY) return
    const timer = setTimeout(
      () => {
        timers.delete(timer)
        void push(order)
      },
      seconds * 1000 * timeScale,
    )
    timers.add(timer)
  }
  const close = () => {
    for (const timer of timers) clearTimeout(timer)
    timers.clear()
    return agent.destroy()
  }
  return { schedule, close }
}

type SignedBody = { body: string; headers: Record<string, string> }

function signed(order: SimulatedOrder, token: string): SignedBody {
  const body = JSON.stringify(resultOf(order, finalAfter(order)))
  const timestamp = String(Math.floor(Date.now() / 1000))
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-supplier-timestamp': timestamp,
      'x-supplier-signature': signature(token, timestamp, body),
    },
  }
}

async function post(
  agent: Agent,
  origin: string,
  path: string,
  { body, headers }: SignedBody,
): Promise<number | 'connection error'> {
  try {
    const response = await agent.request({ origin, path, method: 'POST', headers, body })
    await response.body.dump()
    return response.statusCode
  } catch {
    return 'connection error'
  }
}
