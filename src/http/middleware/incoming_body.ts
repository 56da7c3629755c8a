import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBytes } from '../../messages/bytes.ts'
import type { BodyAllowance, BodyHold, BodyRefusal } from './body_allowance.ts'

/** The largest body that is taken, in bytes. */
export const bodyLimit = 64 * 1024

// Each piece costs work, however small: 64 KiB come in 45 packets, or in as many chunks as the sender chooses.
const mostPieces = 8_192

type BodyFault = BodyRefusal | 'BODY_TOO_LARGE' | 'REQUEST_TIMEOUT'

/** The bytes of a body, or why it was not taken. */
export type ReceivedBody = { ok: true; bytes: Buffer } | { ok: false; error: BodyFault }

/** The body of a request, which is held within its allowance as it comes. */
export type IncomingBody = {
  /**
   * The body, once it has come whole; it is the caller's then. Asks for it where the client waits for that
   * (`Expect: 100-continue`). Throws ClientGone if the client hung up.
   */
  read(): Promise<ReceivedBody>
  /** Discards what has come and what still comes: there is nothing to read then. May be called again. */
  discard(): void
}

/** The client went away before its request had come. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

export type IncomingBodyOptions = {
  allowance: BodyAllowance
  /** What the client is counted by. */
  network: string
  /** How long a body has, each time, to bring 5 KiB or its end, in milliseconds. */
  windowMs: number
}

/**
 * With a window of 5 s a body must bring 1 KiB/s: the slowest mobile links bring more, and a packet that is lost twice
 * is sent for the third time within 5 s.
 */
const leastPerWindow = 5 * 1024

const emptyBody: IncomingBody = {
  read: async () => ({ ok: true, bytes: Buffer.alloc(0) }),
  discard: () => {},
}

/** Begins to take the body of a request: to be called as soon as the request has come. */
export function receiveBody(
  request: IncomingMessage,
  response: ServerResponse,
  { allowance, network, windowMs }: IncomingBodyOptions,
): IncomingBody {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers
  if (coding === undefined && Number(length) === 0) return emptyBody
  if (Number(length) > bodyLimit) return unreadBody(request, 'BODY_TOO_LARGE')
  const hold = allowance.take(network)
  if (typeof hold === 'string') return unreadBody(request, hold)
  return new ArrivingBody(request, response, hold, windowMs)
}

/** Whether a client sends its body only after it was told to go on. */
function awaitsContinue({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '')
}

function unreadBody(request: IncomingMessage, error: BodyFault): IncomingBody {
  request.resume()
  return { read: async () => ({ ok: false, error }), discard: () => {} }
}

class ArrivingBody implements IncomingBody {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #hold: BodyHold
  readonly #windowMs: number
  #bytes = createBytes(bodyLimit)
  readonly #received = Promise.withResolvers<ReceivedBody>()
  #awaitsContinue: boolean
  #ended = false
  #failed = false
  #pieces = 0
  #sizeBefore = 0
  #timer: NodeJS.Timeout | undefined

  constructor(request: IncomingMessage, response: ServerResponse, hold: BodyHold, windowMs: number) {
    this.#request = request
    this.#response = response
    this.#hold = hold
    this.#windowMs = windowMs
    this.#awaitsContinue = awaitsContinue(request)
    // Whether anyone reads is not known yet, and a client that hangs up before that is no error.
    this.#received.promise.catch(() => {})
    request.on('data', this.#add)
    request.once('end', this.#complete)
    request.once('close', this.#lose)
    if (!this.#awaitsContinue) this.#watchPace()
  }

  async read(): Promise<ReceivedBody> {
    if (this.#awaitsContinue && !this.#failed) {
      this.#awaitsContinue = false
      this.#response.writeContinue()
      if (!this.#ended) this.#watchPace()
    }
    try {
      return await this.#received.promise
    } finally {
      this.#hold.release()
    }
  }

  discard(): void {
    this.#stop()
    this.#bytes = createBytes(0)
    this.#hold.release()
  }

  readonly #add = (piece: Buffer): void => {
    const before = this.#bytes.capacity
    this.#pieces += 1
    const fits = this.#pieces <= mostPieces && this.#bytes.add(piece)
    const refused = fits ? this.#hold.grow(this.#bytes.capacity - before) : 'BODY_TOO_LARGE'
    if (refused !== undefined) this.#fail(refused)
  }

  readonly #complete = (): void => {
    this.#stop()
    this.#hold.arrive()
    this.#received.resolve({ ok: true, bytes: this.#bytes.all() })
  }

  readonly #lose = (): void => {
    this.discard()
    this.#received.reject(new ClientGone())
  }

  #fail(error: BodyFault): void {
    this.#failed = true
    this.discard()
    this.#received.resolve({ ok: false, error })
  }

  #watchPace(): void {
    this.#sizeBefore = this.#bytes.size
    // What came while the process was busy is read before the pace is judged.
    this.#timer = setTimeout(() => setImmediate(this.#checkPace), this.#windowMs)
  }

  readonly #checkPace = (): void => {
    if (this.#ended) return
    if (this.#bytes.size - this.#sizeBefore >= leastPerWindow) this.#watchPace()
    else this.#fail('REQUEST_TIMEOUT')
  }

  /** Takes nothing more: what still comes is read and discarded. */
  #stop(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#request.off('data', this.#add)
    this.#request.off('end', this.#complete)
    this.#request.off('close', this.#lose)
    this.#request.resume()
  }
}
