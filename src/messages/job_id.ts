/** The id that a job carries; jobs carry nothing else. Throws on any other payload. */
export function jobId(payload: unknown): string {
  if (typeof payload === 'object' && payload !== null && 'id' in payload && typeof payload.id === 'string') {
    return payload.id
  }
  throw new Error('a job without an id')
}
