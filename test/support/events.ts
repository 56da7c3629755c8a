import type postgres from 'postgres'
import type { Recorded } from '../../tasks/deliver_webhook.ts'
import { completed, finishCalls, leaseCalls, verdictsOf } from './items.ts'
import { orderRequest, placeAll } from './orders.ts'
import type { Partner } from './partner.ts'

export type Attempt = Recorded['attempts'][number]

/** The rungs of the retry ladder, in seconds. */
export const rungs = [60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400]

/** Completes so many orders of a partner in one batch. Returns the ids of their events in the order of their delivery. */
export async function makeEvents(
  sql: postgres.Sql,
  partner: Partner,
  count: number,
  callbackUrl = 'https://hooks.example/x',
): Promise<string[]> {
  const requests = Array.from({ length: count }, (_, ordinal) => ({
    ...orderRequest(partner, { callbackUrl }),
    ordinal,
  }))
  const placed = await placeAll(sql, requests)
  const items = placed.flatMap(({ body }) => body.items.map(({ id }) => id))
  await finishCalls(sql, await leaseCalls(sql, items), completed())
  const events = await sql`
    select id from supply.events where order_code = any(${placed.map(({ body }) => body.code)})
    order by next_attempt_at, id`
  return events.map(({ id }) => id)
}

/** Completes an order of a partner and returns the id of its event. */
export async function makeEvent(sql: postgres.Sql, partner: Partner, callbackUrl?: string): Promise<string> {
  const [id = ''] = await makeEvents(sql, partner, 1, callbackUrl)
  return id
}

/** Makes the waiting events due, as if their time had come, and leases their attempts; their jobs are done then. */
export async function leaseAttempts(sql: postgres.Sql, eventIds: string[]): Promise<Attempt[]> {
  await sql`update supply.events set next_attempt_at = now() where id = any(${eventIds}) and next_attempt_at > now()`
  await sql`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${eventIds})`
  return beginDeliveries(sql, eventIds)
}

/** Leases the attempts of these events that are due, and returns them in the order of the events. */
export async function beginDeliveries(sql: postgres.Sql, eventIds: string[], maxBytes = 4_194_304): Promise<Attempt[]> {
  const [row] = await sql`select to_json(work.begin_deliveries(${eventIds}, ${maxBytes})) as attempts`
  const attempts: Attempt[] = row?.attempts
  return attempts.toSorted((a, b) => eventIds.indexOf(a.event_id) - eventIds.indexOf(b.event_id))
}

/** Leases the attempt of one event. */
export async function leaseAttempt(sql: postgres.Sql, eventId: string): Promise<Attempt> {
  const [attempt] = await leaseAttempts(sql, [eventId])
  if (attempt === undefined) throw new Error(`no attempt of event ${eventId} is due`)
  return attempt
}

/** Records how an attempt ended and returns the verdict. */
export async function finishAttempt(
  sql: postgres.Sql,
  attempt: { event_id: string; lease_token: string },
  result: object,
): Promise<string> {
  const [verdict = ''] = await finishAttempts(sql, [attempt], result)
  return verdict
}

/** Records that attempts ended so, in one call, and returns their verdicts. */
export async function finishAttempts(
  sql: postgres.Sql,
  attempts: { event_id: string; lease_token: string }[],
  result: object,
): Promise<string[]> {
  const results = attempts.map(({ event_id, lease_token }, index) => ({
    ...{ ordinal: index + 1, eventId: event_id, leaseToken: lease_token, result },
  }))
  const [row] = await sql`select to_json(work.finish_deliveries(${sql.json(results as never)}, 0, null)) as recorded`
  return verdictsOf(row?.recorded)
}

export const answered = (status: number, retryAfter: number | null = null) => ({ kind: 'answered', status, retryAfter })
export const unreachable = (error = 'connection refused', errorKind = 'connection_error') => ({
  ...{ kind: 'unreachable', errorKind, error },
})
export const refused = (reason: string) => ({ kind: 'refused', reason, error: 'not public' })
