import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Middleware } from '../context.ts'
import { isPush } from '../paths.ts'
import { createBodyAllowance } from './body_allowance.ts'
import { clientNetwork } from './client_address.ts'
import { receiveBody } from './incoming_body.ts'

/** The time limits for bodies, in milliseconds: see `ServerTimes`. */
export type BodyTimes = { bodyWindowMs: number; unreadMs: number }

// Other bodies come from partners who have shown their keys, and strangers must not take their places.
const pushLimits = { bodies: 256, bytes: 8 * 1024 * 1024 }
const orderLimits = { bodies: 1024, bytes: 32 * 1024 * 1024 }

// In packets of 1,460 bytes these are 3 MB.
const mostUnreadPieces = 2_048

/**
 * Takes the bodies of requests as they come, in bounded memory, so that no request
 * queues pieces of its body while it is checked. The body of a request that is answered without being read is
 * discarded.
 */
export function receiveBodies({ bodyWindowMs }: BodyTimes): Middleware {
  const pushes = createBodyAllowance(pushLimits)
  const others = createBodyAllowance(orderLimits)
  return async (ctx, next) => {
    const { pattern } = ctx.state.route
    if (ctx.method !== 'POST' || pattern === undefined) {
      ctx.req.resume()
      return next()
    }
    const allowance = isPush(pattern) ? pushes : others
    const network = clientNetwork(ctx.state.client)
    ctx.state.body = receiveBody(ctx.req, ctx.res, { allowance, network, windowMs: bodyWindowMs })
    try {
      await next()
    } finally {
      ctx.state.body.discard()
    }
  }
}

/**
 * Forgets what still comes of a request that was answered before all of it had come, so that its client gets to see the
 * answer. Closes the connection if that takes too long, or comes in too many pieces: parsing them is work.
 */
export function forgetUnread({ unreadMs }: BodyTimes): Middleware {
  return async ({ req, res }, next) => {
    try {
      await next()
    } finally {
      if (!req.complete) forgetRest(req, res, unreadMs)
    }
  }
}

function forgetRest(request: IncomingMessage, response: ServerResponse, ms: number): void {
  let pieces = 0
  function close(): void {
    if (!request.complete) request.socket.destroy()
  }
  request.on('data', () => {
    pieces += 1
    if (pieces > mostUnreadPieces && response.writableFinished) close()
  })
  response.once('finish', () => setTimeout(close, ms).unref())
}
