import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** How far a signed timestamp may be from the receiver's clock, in seconds (specification 6.3). */
const REPLAY_WINDOW_SECONDS = 300

/**
 * Signs a body (specification 6.3): `sha256=` and the lowercase hex HMAC-SHA256 of `<timestamp>.<body>`.
 * The characters of the secret are the key as they stand, not decoded from hex. `timestamp` is Unix time in
 * seconds; a body given as a string is signed as UTF-8.
 */
export function signature(secret: string, timestamp: number | string, body: Buffer | string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`
}

/** A signed message at its receiver: the two received headers, the raw body, the receiver's secret and clock. */
export type Signed = {
  secret: string
  timestamp: string | undefined
  signature: string | undefined
  body: Buffer | string
  now: Date
}

/**
 * Returns whether a message is authentic and fresh, as a receiver must (specification 6.3): the timestamp is at
 * most 300 seconds from `now` in either direction, and the signature, compared in constant time, is right.
 * Returns false where a header is missing or malformed.
 */
export function verify(signed: Signed): boolean {
  const { secret, timestamp, body, now } = signed
  if (timestamp === undefined || signed.signature === undefined || !isFresh(timestamp, now)) return false
  const expected = Buffer.from(signature(secret, timestamp, body))
  const given = Buffer.from(signed.signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Whether a received timestamp is Unix time in seconds, at most 300 seconds from `now` in either direction. */
export function isFresh(timestamp: string, now: Date): boolean {
  if (!/^\d{1,15}$/.test(timestamp)) return false
  return Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) <= REPLAY_WINDOW_SECONDS
}

/** Compares two secrets. The digests have one length, so the time of the comparison does not show that of a secret. */
export function isSameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
