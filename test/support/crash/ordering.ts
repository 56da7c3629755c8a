import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import type { Partner } from '../partner.ts'

export type Ordering = {
  /** The codes of the orders that were accepted, by their external ids. */
  accepted: Map<string, string>
  /** How many requests failed, and were repeated, because the service was not there or answered 503. */
  failures(): number
  /** Lets each client bring its order home, and ends. Rejects if an answer was another than 201, 200 or 503. */
  stop(): Promise<void>
}

/** Places an order over HTTP, and returns its answer; undefined where there was none. */
export async function sendOrder(
  agent: Agent,
  baseUrl: string,
  partner: Partner,
  body: object,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await request(`${baseUrl}/b2b/orders`, {
      dispatcher: agent,
      method: 'POST',
      headers: { 'x-api-key': partner.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.statusCode, text: await response.body.text() }
  } catch {
    return undefined
  }
}

/** Clients that place one order after the other, and repeat each request until it is accepted. */
export function startOrdering(baseUrl: string, partner: Partner, clients: number, order: object): Ordering {
  const agent = new Agent({ connections: clients })
  const accepted = new Map<string, string>()
  let failures = 0
  let stopped = false

  async function place(externalOrderId: string): Promise<void> {
    for (;;) {
      const answer = await sendOrder(agent, baseUrl, partner, { externalOrderId, ...order })
      if (answer?.status === 201 || answer?.status === 200) {
        accepted.set(externalOrderId, JSON.parse(answer.text).data.code)
        return
      }
      if (answer !== undefined && answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`)
      failures += 1
      await sleep(50)
    }
  }

  async function run(client: number): Promise<void> {
    for (let number = 1; !stopped; number += 1) {
      await place(`client ${client}, order ${number}`)
      await sleep(20)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, client) => run(client)))
  running.catch(() => {})
  return {
    accepted,
    failures: () => failures,
    stop: async () => {
      stopped = true
      await running
      await agent.destroy()
    },
  }
}
