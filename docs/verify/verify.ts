// Verifies webhook signatures, with Node 24 or newer. To test it: node verify.ts vectors.tsv

import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'

/**
 * Tells whether a webhook is authentic and fresh.
 *
 * `rawBody` is the body's bytes as they came, before any parser touched them; a header that is
 * absent is undefined; `now` is the Unix time in seconds. Never throws for what the sender sent.
 */
export function verify(
  secret: string,
  timestampHeader: string | undefined,
  signatureHeader: string | undefined,
  rawBody: Uint8Array,
  now = Math.floor(Date.now() / 1000),
): boolean {
  if (timestampHeader === undefined || signatureHeader === undefined) return false
  if (!/^[0-9]{1,12}$/.test(timestampHeader)) return false
  if (Math.abs(now - Number(timestampHeader)) > 300) return false
  const hmac = createHmac('sha256', secret).update(`${timestampHeader}.`).update(rawBody)
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const given = Buffer.from(signatureHeader)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function main(path: string): number {
  const lines = readFileSync(path, 'utf8').split('\n')
  const vectors = lines.filter((line) => line !== '' && !line.startsWith('#'))
  let wrong = 0
  for (const vector of vectors) {
    const [name, expected, now, secret = '', timestamp, signature, body = ''] = vector.split('\t')
    const rawBody = Buffer.from(body, 'base64')
    const headers = [timestamp || undefined, signature || undefined] as const
    const valid = verify(secret, ...headers, rawBody, Number(now))
    if (valid === (expected === 'valid')) continue
    console.error(`${name}: ${valid ? 'accepted' : 'rejected'}, but it is ${expected}`)
    wrong += 1
  }
  console.log(`${vectors.length} vectors, ${wrong} wrong`)
  return vectors.length > 0 && wrong === 0 ? 0 : 1
}

if (import.meta.main) {
  const path = process.argv[2]
  if (path === undefined) console.error('usage: node verify.ts vectors.tsv')
  process.exitCode = path === undefined ? 2 : main(path)
}
