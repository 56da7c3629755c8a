import type postgres from 'postgres'
import { expect } from 'vitest'
import { place } from './orders.ts'
import type { Partner } from './partner.ts'

/** Orders something and returns the id of the event, once the running worker has completed the order. */
export async function orderedEvent(sql: postgres.Sql, partner: Partner, callbackUrl: string): Promise<string> {
  const { body } = await place(sql, partner, { callbackUrl })
  const find = async () => {
    const [event] = await sql`select event_id from ops.events where order_code = ${body.code}`
    return event?.event_id as string | undefined
  }
  await expect.poll(find, { interval: 10 }).toBeDefined()
  return (await find()) ?? ''
}
