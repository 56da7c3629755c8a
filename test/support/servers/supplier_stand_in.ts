import type { IncomingHttpHeaders } from 'node:http'
import { type Response, startSupplierServer } from './supplier_server.ts'

/** A request that a stand-in received. `places`: it asks for an order to be made. */
export type StandInRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  rawBody: string
  /** The body as JSON; undefined if it is none. */
  body: unknown
  places: boolean
}

export type StandInAnswer = { status: number; json?: unknown; headers?: Record<string, string> }

/** What a supplier of some protocol does: which requests place orders, and what it answers to any. */
export type SupplierLogic = {
  places: (request: Omit<StandInRequest, 'places'>) => boolean
  answer: (request: StandInRequest) => StandInAnswer
}

/**
 * What happens to an answer on its way: `reset` and `silence` before its first byte, `cut` and `stall` in the middle of its
 * body, a body of more than 1 MiB or that is no JSON, a delay, another answer in its place, or a change in it.
 */
export type Damage =
  | 'reset'
  | 'silence'
  | 'cut'
  | 'stall'
  | 'oversized'
  | 'not JSON'
  | { delayMs: number }
  | StandInAnswer
  | ((answer: StandInAnswer, request: StandInRequest) => StandInAnswer)

/** To which requests a damage is done; and whether what they ask for is done all the same. By default it is not. */
export type Fault = {
  damage: Damage
  to?: 'placing' | 'reading' | ((request: StandInRequest) => boolean)
  carriedOut?: boolean
}

/** A supplier that runs; see `startStandIn`. */
export type StandIn = {
  url: string
  /** Everything it received, in order. */
  requests: StandInRequest[]
  /** Does this to the answers from now on, until the next call; null: they pass as they are. */
  setFault: (fault: Fault | null) => void
  close: () => Promise<void>
}

/** Starts a supplier on 127.0.0.1 that does what its logic says, and whose answers can be damaged on their way. */
export async function startStandIn(logic: SupplierLogic): Promise<StandIn> {
  const requests: StandInRequest[] = []
  let fault: Fault | null = null
  const server = await startSupplierServer(async ({ target, ...received }) => {
    const { pathname: path, searchParams: query } = new URL(target, 'http://stand-in')
    const request = { ...received, path, query, places: logic.places({ ...received, path, query }) }
    requests.push(request)
    const applied = fault !== null && concerns(fault, request) ? fault : undefined
    const needed = applied === undefined || applied.carriedOut || !replaces(applied.damage)
    return damaged(needed ? logic.answer(request) : { status: 500 }, applied?.damage, request)
  })
  return {
    url: server.url,
    requests,
    setFault: (next) => {
      fault = next
    },
    close: server.close,
  }
}

function concerns({ to }: Fault, request: StandInRequest): boolean {
  if (to === undefined) return true
  if (typeof to === 'function') return to(request)
  return request.places === (to === 'placing')
}

/** Whether nothing of the answer is left by a damage, so that it need not be made. */
function replaces(damage: Damage): boolean {
  return typeof damage === 'string' || (typeof damage === 'object' && 'status' in damage)
}

function damaged(made: StandInAnswer, damage: Damage | undefined, request: StandInRequest): Response {
  if (damage === undefined) return made
  if (damage === 'silence') return 'hang'
  if (damage === 'reset') return 'reset'
  if (typeof damage === 'function') return damage(made, request)
  if (typeof damage === 'object') return 'status' in damage ? damage : { ...made, ...damage }
  const { json } = made
  const answer = { ...made, status: Math.max(200, Math.min(made.status, 201)) }
  if (damage === 'not JSON') return { ...answer, text: 'All is well.' }
  if (damage === 'oversized') return { ...answer, json: { json, padding: 'x'.repeat(1024 * 1024) } }
  return { ...answer, text: (JSON.stringify(json) ?? '').padEnd(64), stop: damage === 'cut' ? 'reset' : 'hang' }
}
