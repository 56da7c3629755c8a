/**
 * By what the work for one request is known in every process: the request's id, and its trace context (W3C, in version
 * 00), whose span that work belongs to. Null: there is none.
 */
export type Correlation = { requestId: string | null; traceparent: string | null }

const requestId = /^[A-Za-z0-9._-]{1,128}$/
const traceparentParts = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/
// A later version may have more fields behind those of the first.
const firstLength = 55
const maxLength = 512

/** Whether a text can be a request id: in a header, in the log and in the database. */
export function isRequestId(text: string): boolean {
  return requestId.test(text)
}

/** The trace context in a `traceparent` header, in the form of version 00; null if it is not valid. */
export function parseTraceparent(header: string): string | null {
  if (header.length > maxLength) return null
  const isLonger = header.length > firstLength
  if (isLonger && (header.startsWith('00') || header[firstLength] !== '-')) return null
  const [, traceId, spanId, flags] = traceparentParts.exec(header.slice(0, firstLength)) ?? []
  return traceId === undefined ? null : `00-${traceId}-${spanId}-${flags}`
}

/** The id of the trace that a context belongs to. */
export function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35)
}

/** The headers that carry the correlation to another service. A value that would not be valid is left out. */
export function correlationHeaders({ requestId, traceparent }: Correlation): Record<string, string> {
  const context = traceparent === null ? null : parseTraceparent(traceparent)
  return {
    ...(requestId !== null && isRequestId(requestId) ? { 'X-Request-Id': requestId } : {}),
    ...(context === null ? {} : { traceparent: context }),
  }
}
