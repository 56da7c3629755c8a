import { withCorrelation } from '../log.ts'
import type { Attributes, Tracer } from './tracer.ts'

type Leased = { request_id: string | null; traceparent: string | null }
type Done = { attributes: Attributes; failed: boolean }

/**
 * Does leased work on behalf of the request that placed its order: the log records of the work carry the ids of that
 * request, and the work is a span of its trace. Attributes are named `supply.…`, but for `status`, the HTTP status.
 */
export async function inSpan<L extends Leased>(
  tracer: Tracer,
  name: string,
  leased: L,
  work: (leased: L) => Promise<Done>,
): Promise<void> {
  const { request_id: requestId, traceparent: parent } = leased
  const span = tracer.start({ name, kind: 'client', parent })
  const { traceparent } = span
  try {
    const { attributes, failed } = await withCorrelation({ requestId, traceparent }, () =>
      work({ ...leased, traceparent }),
    )
    span.end({ attributes: { ...named(attributes), 'supply.request_id': requestId }, failed })
  } catch (error) {
    span.end({ attributes: {}, failed: true })
    throw error
  }
}

function named({ status, ...record }: Attributes): Attributes {
  const entries = Object.entries(record).map(([name, value]) => [`supply.${name}`, value])
  return { ...Object.fromEntries(entries), 'http.response.status_code': status }
}
