import { createBytes } from '../../messages/bytes.ts'
import type { BodyFault, Context, Middleware } from '../context.ts'
import { clientNetwork } from './client_address.ts'

const maxBodyBytes = 64 * 1024

/** Bounds the memory of bodies; a client may use a quarter of it. A body counts as 64 KiB until it is whole. */
function createAllowance(maxBodies: number) {
  const maxBytes = maxBodies * maxBodyBytes
  const clients = new Map<string, number>()
  let all = 0
  /** Reserves room for a body. Returns why there is none, or what changes the reservation. */
  return (client: string): ((bytes: number) => void) | BodyFault => {
    let held = 0
    const resize = (bytes: number) => {
      const own = (clients.get(client) ?? 0) + bytes - held
      all += bytes - held
      held = bytes
      if (own === 0) clients.delete(client)
      else clients.set(client, own)
    }
    if ((clients.get(client) ?? 0) + maxBodyBytes > maxBytes / 4) return 'RATE_LIMITED'
    if (all + maxBodyBytes > maxBytes) return 'UNAVAILABLE'
    resize(maxBodyBytes)
    return resize
  }
}

/** Gathers a body in one buffer as it arrives: a queue of many small pieces would cost far more than their bytes. */
function gather({ req, res }: Context, resize: (bytes: number) => void, bodyMs: number) {
  const { promise, resolve } = Promise.withResolvers<Buffer | BodyFault>()
  const bytes = createBytes(maxBodyBytes)
  const end = (result: Buffer | BodyFault, size: number) => {
    clearTimeout(timer)
    req.off('data', add).off('end', complete).off('close', lose)
    resize(size)
    resolve(result)
  }
  const add = (piece: Buffer) => {
    if (!bytes.add(piece)) end('BODY_TOO_LARGE', 0)
  }
  const complete = () => end(bytes.all(), bytes.capacity)
  const lose = () => end('REQUEST_TIMEOUT', 0)
  const timer = setTimeout(lose, bodyMs)
  req.on('data', add).once('end', complete).once('close', lose)
  const read = () => {
    if (req.httpVersion === '1.1' && /100-continue/i.test(req.headers.expect ?? '')) res.writeContinue()
    return promise
  }
  return { read, drop: lose }
}

/** Receives the bodies of requests in bounded memory and time, while their requests are admitted. */
export function receiveBodies(bodyMs: number): Middleware {
  // Orders come from partners that showed their keys: a stranger's pushes must not take their places.
  const pushes = createAllowance(256)
  const orders = createAllowance(1024)
  return async (ctx, next) => {
    // Bytes that are not gathered are dropped as they arrive.
    ctx.req.resume()
    const { pattern, uncounted } = ctx.state.route
    if (ctx.method !== 'POST' || pattern === undefined) return next()
    const isTooLarge = Number(ctx.get('Content-Length')) > maxBodyBytes
    const allowance = uncounted === 'push' ? pushes : orders
    const place = isTooLarge ? 'BODY_TOO_LARGE' : allowance(clientNetwork(ctx.state.client))
    if (typeof place === 'string') {
      ctx.state.readBody = async () => place
      return next()
    }
    const { read, drop } = gather(ctx, place, bodyMs)
    ctx.state.readBody = read
    await next().finally(drop)
  }
}
