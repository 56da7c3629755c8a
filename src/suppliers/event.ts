import * as v from 'valibot'
import type { ReadEvent } from './adapter.ts'

const uuid = v.pipe(v.string(), v.uuid())

/** How an event says that its order ended: the statuses that mean it, in the supplier's words. */
export type Endings = { delivered: readonly string[]; failed: readonly string[] }

/** The event about the item with this reference; one that is no UUID is not ours. */
export function eventAbout(reference: string | null, eventId: string, status: unknown, endings: Endings): ReadEvent {
  const ours = reference?.toLowerCase()
  if (!v.is(uuid, ours)) return { ok: false, problem: 'ignored' }
  const says = (['delivered', 'failed'] as const).find((ending) => endings[ending].some((word) => word === status))
  return { ok: true, eventId, reference: ours, ...(says && { says }) }
}
