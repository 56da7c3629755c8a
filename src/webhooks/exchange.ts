import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { clock } from '../clock.ts'
import { parseRetryAfter } from '../messages/retry_after.ts'
import { within } from '../within.ts'
import type { Deadline } from './deadline.ts'
import { type Failure, failureOf } from './failure.ts'

/** A POST over a connection. The URL gives path and Host. */
export type Post = { url: URL; headers: Record<string, string>; body: Buffer }

/** The status of the receiver's answer; or why there was none. */
export type PostResult =
  | { kind: 'answered'; status: number; retryAfter: number | null }
  | ({ kind: 'unreachable' } & Failure)

/** The final response's headers may be as long as Node's own default allows. */
const MAX_HEADER_BYTES = 16 * 1024
/** The most bytes that may precede the final response: interim (1xx) responses and their headers. */
const MAX_BYTES_BEFORE_ANSWER = 64 * 1024

/**
 * Sends one POST over a connected socket, reads the status line and the headers of the answer and destroys the
 * socket: the body is never read and no redirect followed (specification 6.4). `retryAfter` is in seconds,
 * clamped, and read on 429 and 408 only.
 *
 * Node's own client writes and parses, because it ignores unexpected interim responses, as RFC 9110, section 15.2,
 * requires; undici 8 treats an unexpected 100 as an error.
 */
export async function exchange(socket: Socket, post: Post, deadline: Deadline): Promise<PostResult> {
  try {
    const late = (): PostResult => ({ kind: 'unreachable', ...deadline.expired('response headers') })
    return await within(deadline.leftMs(), answerTo(socket, post), late)
  } finally {
    socket.destroy()
  }
}

function answerTo(socket: Socket, { url, headers, body }: Post): Promise<PostResult> {
  const { promise, resolve } = Promise.withResolvers<PostResult>()
  const chunks: Buffer[] = []
  // The status decides (specification 6.4): a head that is too large, or that Node's strict parser refuses, has one, too.
  const fail = (failure: Failure) => {
    const isBad = failure.errorKind === 'bad_response'
    const status = isBad ? statusIn(Buffer.concat(chunks).toString('latin1')) : undefined
    resolve(status === undefined ? { kind: 'unreachable', ...failure } : { kind: 'answered', status, retryAfter: null })
  }
  const outgoing = request({
    createConnection: () => socket,
    method: 'POST',
    path: url.pathname + url.search,
    setHost: false,
    headers: { Host: url.host, ...headers, 'Content-Length': String(body.length), Connection: 'close' },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  })
  outgoing.on('response', (response) => {
    response.on('error', () => {})
    resolve(read(response))
  })
  outgoing.on('upgrade', () => fail(badResponse('not an HTTP response: unexpected upgrade')))
  outgoing.on('error', (error) => fail(failureOf(error)))
  outgoing.on('socket', () => {
    let received = 0
    // Before Node's parser gets the bytes, whose error comes at once.
    socket.prependListener('data', (chunk: Buffer) => {
      received += chunk.length
      chunks.push(chunk)
      if (received <= MAX_BYTES_BEFORE_ANSWER) return
      fail(badResponse('too much before the response'))
      socket.destroy()
    })
  })
  outgoing.end(body)
  return promise
}

const badResponse = (error: string): Failure => ({ errorKind: 'bad_response', error })

const statusLine = /^HTTP\/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r?\n/

/** The status of the first response that is not interim; undefined if there is none. */
function statusIn(text: string): number | undefined {
  const status = Number(statusLine.exec(text)?.[1])
  if (status >= 200) return status
  const end = /\r?\n\r?\n/.exec(text)
  return status >= 100 && end !== null ? statusIn(text.slice(end.index + end[0].length)) : undefined
}

function read(response: IncomingMessage): PostResult {
  const status = response.statusCode ?? 0
  if (status < 200 || status > 599) return { kind: 'unreachable', ...badResponse(`invalid status ${status}`) }
  const mayAskToWait = status === 429 || status === 408
  const retryAfter = mayAskToWait ? parseRetryAfter(response.headersDistinct['retry-after'], clock.now()) : null
  return { kind: 'answered', status, retryAfter }
}
