import * as v from 'valibot'
import type { Ending, ReadEvent } from './adapter.ts'

const uuid = v.pipe(v.string(), v.uuid())

/** The event about the item with this reference; one that is no UUID is not ours. */
export function eventAbout(reference: string | null, eventId: string, says: Ending | undefined): ReadEvent {
  const ours = reference?.toLowerCase()
  if (!v.is(uuid, ours)) return { ok: false, problem: 'ignored' }
  return { ok: true, eventId, reference: ours, ...(says && { says }) }
}
