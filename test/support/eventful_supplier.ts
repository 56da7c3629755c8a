import type postgres from 'postgres'
import { verify } from '../../src/common/sign.ts'
import type { ReadEvent, SupplierEvent } from '../../src/supplier/adapter.ts'
import { createAdapters, protocols, type SupplierAdapters } from '../../src/supplier/adapters.ts'

/** Adds the protocol `eventful` to a database: http, but its suppliers push events `{id, about}`, signed as webhooks are. */
export async function addEventfulProtocol(sql: postgres.Sql): Promise<void> {
  await sql`insert into supply.protocols (name, finds_by_reference, pushes, lists_offers, requests_per_call)
    values ('eventful', true, 'events', false, 1)`
}

/** All adapters, and one for `eventful`. */
export function eventfulAdapters(): SupplierAdapters {
  return createAdapters({
    factories: {
      ...protocols,
      eventful: (options) => {
        const http = protocols.http?.(options)
        if (http === undefined) throw new Error('no http')
        return { ...http, promises: { ...http.promises, pushes: 'events' }, readEvent }
      },
    },
  })
}

function readEvent({ headers, rawBody: body, secret, now }: SupplierEvent): ReadEvent {
  const timestamp = String(headers['x-webhook-timestamp'])
  const signature = String(headers['x-webhook-signature'])
  if (!verify({ secret, timestamp, signature, body, now })) return { ok: false, problem: 'bad_signature' }
  const { id, about } = JSON.parse(body.toString()) as { id?: string; about?: string }
  if (id === undefined) return { ok: false, problem: 'malformed' }
  if (about === undefined) return { ok: false, problem: 'ignored' }
  return { ok: true, eventId: id, reference: about }
}
