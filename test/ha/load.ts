import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { sendOrder } from '../support/crash/ordering.ts'
import type { Partner } from '../support/partner.ts'

export type Load = {
  /** The codes of the accepted orders, by the partner's references. */
  accepted: Map<string, string>
  /** The seconds of the longest gap between two acceptances, and how many answers were errors, since the last call. */
  measure(): { gap: number; errors: number }
  /** Places no new orders, and lets those under way be accepted. */
  stop(): Promise<void>
}

const requestMs = 10_000
const pauseMs = 250

/**
 * Places orders at a steady rate, whatever the answers are. Each order is repeated under its reference until it is
 * accepted.
 */
export function startLoad(baseUrl: string, partner: Partner, label: string, perSecond: number, order: object): Load {
  const agent = new Agent({ connections: 200, headersTimeout: requestMs, bodyTimeout: requestMs })
  const accepted = new Map<string, string>()
  const underWay = new Set<Promise<void>>()
  let lastAt = performance.now()
  let gap = 0
  let errors = 0
  let placed = 0

  async function place(externalOrderId: string): Promise<void> {
    for (;;) {
      const answer = await sendOrder(agent, baseUrl, partner, { externalOrderId, ...order })
      if (answer?.status === 201 || answer?.status === 200) {
        const now = performance.now()
        gap = Math.max(gap, now - lastAt)
        lastAt = now
        accepted.set(externalOrderId, JSON.parse(answer.text).data.code)
        return
      }
      if (answer !== undefined && answer.status < 500)
        throw new Error(`an order was refused: ${answer.status} ${answer.text}`)
      errors += 1
      await sleep(pauseMs)
    }
  }

  const timer = setInterval(() => {
    placed += 1
    const order = place(`${label} ${placed}`).finally(() => underWay.delete(order))
    underWay.add(order)
  }, 1_000 / perSecond)
  return {
    accepted,
    measure: () => {
      const measured = { gap: Math.max(gap, performance.now() - lastAt) / 1_000, errors }
      gap = 0
      errors = 0
      return measured
    },
    stop: async () => {
      clearInterval(timer)
      while (underWay.size > 0) await Promise.all(underWay)
      await agent.destroy()
    },
  }
}
