import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBytes } from '../../messages/bytes.ts'
import type { Middleware } from '../context.ts'
import { isPush } from '../paths.ts'
import { clientNetwork } from './client_address.ts'

/** The largest body that is taken, in bytes. */
export const bodyLimit = 64 * 1024
// Each piece costs work, however small: 64 KiB arrive in 45 packets, or in as many chunks as the sender chooses.
const maxPieces = 8_192
const maxUnreadPieces = 2_048
// At a window of 5 s this is 1 KiB/s: the slowest mobile links bring more.
const minWindowBytes = 5 * 1024

/** The time limits for bodies, in milliseconds: see `ServerTimes`. */
export type BodyTimes = { bodyWindowMs: number; unreadMs: number }
/** Why a body was not taken. */
export type BodyFault = 'BODY_TOO_LARGE' | 'REQUEST_TIMEOUT' | 'RATE_LIMITED' | 'UNAVAILABLE'
export type IncomingBody = {
  /** The whole body, or why it was not taken. Throws ClientGone if the client hung up. */
  read(): Promise<Buffer | BodyFault>
  /** Drops the body, and what still arrives of it. May be called again. */
  discard(): void
}
/** The client went away before its request had arrived. */
export class ClientGone extends Error {}

/** Counts the bodies and bytes under way, in all and by client. A client may have a quarter of each. */
function createAllowance(maxBodies: number, maxBytes: number) {
  const all = { bodies: 0, bytes: 0 }
  const clients = new Map<string, typeof all>()
  return (client: string) => {
    const held = { bodies: 0, bytes: 0 }
    const own = clients.get(client) ?? { bodies: 0, bytes: 0 }
    clients.set(client, own)
    const add = (bodies: number, bytes: number): void => {
      for (const count of [held, own, all]) {
        count.bodies += bodies
        count.bytes += bytes
      }
      if (own.bodies + own.bytes === 0) clients.delete(client)
      else clients.set(client, own)
    }
    return {
      take(bodies: number, bytes: number): BodyFault | undefined {
        if (own.bodies + bodies > maxBodies / 4 || own.bytes + bytes > maxBytes / 4) return 'RATE_LIMITED'
        if (all.bodies + bodies > maxBodies || all.bytes + bytes > maxBytes) return 'UNAVAILABLE'
        add(bodies, bytes)
        return undefined
      },
      /** The body is whole: it is no longer under way, but its bytes are held. */
      arrive: () => add(-held.bodies, 0),
      release: () => add(-held.bodies, -held.bytes),
    }
  }
}
type Hold = ReturnType<ReturnType<typeof createAllowance>>

/** Gathers a body as it arrives, so that no request queues pieces of its body while it is admitted. */
function gather(request: IncomingMessage, hold: Hold, windowMs: number) {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | BodyFault>()
  const bytes = createBytes(bodyLimit)
  let pieces = 0
  let sizeBefore = 0
  const stop = (): void => {
    clearInterval(timer)
    request.off('data', add).off('end', complete).off('close', lose).resume()
  }
  const fail = (fault: BodyFault): void => {
    stop()
    hold.release()
    resolve(fault)
  }
  const add = (piece: Buffer): void => {
    const { capacity } = bytes
    pieces += 1
    const fits = pieces <= maxPieces && bytes.add(piece)
    const fault = fits ? hold.take(0, bytes.capacity - capacity) : 'BODY_TOO_LARGE'
    if (fault !== undefined) fail(fault)
  }
  const complete = (): void => {
    stop()
    hold.arrive()
    resolve(bytes.all())
  }
  const lose = (): void => {
    stop()
    reject(new ClientGone())
  }
  const checkPace = (): void => {
    if (!request.complete && bytes.size - sizeBefore < minWindowBytes) fail('REQUEST_TIMEOUT')
    sizeBefore = bytes.size
  }
  // What arrived while the process was busy is read before the pace is checked.
  const timer = setInterval(() => setImmediate(checkPace), windowMs)
  request.on('data', add).once('end', complete).once('close', lose)
  // Nobody may read the body, and a client that hangs up before that is no error.
  promise.catch(() => {})
  return { promise, stop }
}

/** Takes the bodies of requests in bounded memory, and discards those that no route reads. */
export function takeBodies({ bodyWindowMs }: BodyTimes): Middleware {
  // Bodies of orders come from partners who showed their keys: strangers must not take their places.
  const pushes = createAllowance(256, 8 * 1024 * 1024)
  const others = createAllowance(1024, 32 * 1024 * 1024)
  return async (ctx, next) => {
    const { req, res } = ctx
    const { pattern } = ctx.state.route
    if (ctx.method !== 'POST' || pattern === undefined) {
      req.resume()
      return next()
    }
    const hold = (isPush(pattern) ? pushes : others)(clientNetwork(ctx.state.client))
    const isTooLarge = Number(req.headers['content-length'] ?? 0) > bodyLimit
    const fault = isTooLarge ? 'BODY_TOO_LARGE' : hold.take(1, 0)
    let body: ReturnType<typeof gather> | undefined
    if (fault !== undefined) req.resume()
    else if (!awaitsContinue(req)) body = gather(req, hold, bodyWindowMs)
    ctx.state.body = {
      read: async () => {
        if (fault !== undefined) return fault
        if (body === undefined) res.writeContinue()
        body ??= gather(req, hold, bodyWindowMs)
        return body.promise.finally(hold.release)
      },
      discard: () => {
        body?.stop()
        hold.release()
      },
    }
    try {
      await next()
    } finally {
      ctx.state.body.discard()
    }
  }
}

/** Whether a client sends its body only after a 100 Continue. */
function awaitsContinue({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '')
}

/**
 * Drains the rest of a request that is already answered, so that its client sees the answer. Closes the connection if
 * that takes too long, or too many pieces.
 */
export function drainUnread({ unreadMs }: BodyTimes): Middleware {
  return async ({ req, res }, next) => {
    try {
      await next()
    } finally {
      if (!req.complete) drain(req, res, unreadMs)
    }
  }
}

function drain(request: IncomingMessage, response: ServerResponse, ms: number): void {
  let pieces = 0
  const close = () => !request.complete && request.socket.destroy()
  request.on('data', () => {
    pieces += 1
    if (pieces > maxUnreadPieces && response.writableFinished) close()
  })
  response.once('finish', () => setTimeout(close, ms).unref())
}
