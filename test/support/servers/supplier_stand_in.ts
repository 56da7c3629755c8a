import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  | ((answer: StandInAnswer) => StandInAnswer)

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
  const server = createServer(async (incoming, response) => {
    const request = await receive(logic, incoming)
    if (request === undefined) return
    requests.push(request)
    const applied = fault !== null && concerns(fault, request) ? fault : undefined
    const needed = applied === undefined || applied.carriedOut || !replaces(applied.damage)
    const answer = needed ? logic.answer(request) : { status: 500 }
    await send(answer, applied?.damage, incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setFault: (next) => {
      fault = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
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

async function send(
  made: StandInAnswer,
  damage: Damage | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (damage === 'silence') return
  if (damage === 'reset') return void request.socket.resetAndDestroy()
  if (typeof damage === 'object' && 'delayMs' in damage) {
    await new Promise((resolve) => setTimeout(resolve, damage.delayMs))
  }
  const answer = damagedAnswer(made, damage)
  const body = Buffer.from(bodyOf(answer, damage))
  const empty = answer.status === 204 || answer.status === 304
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(empty ? {} : { 'content-length': body.length }),
    ...answer.headers,
  })
  if (damage !== 'cut' && damage !== 'stall') return void response.end(empty ? undefined : body)
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => {
    if (damage === 'cut') request.socket.resetAndDestroy()
  })
}

function damagedAnswer(answer: StandInAnswer, damage: Damage | undefined): StandInAnswer {
  if (typeof damage === 'function') return damage(answer)
  if (typeof damage === 'object' && 'status' in damage) return damage
  return typeof damage === 'string'
    ? { ...answer, status: Math.max(200, Math.min(answer.status, 201)) }
    : answer
}

function bodyOf({ json }: StandInAnswer, damage: Damage | undefined): string {
  if (damage === 'not JSON') return 'All is well.'
  const body = json === undefined ? '' : JSON.stringify(json)
  if (damage === 'oversized') return JSON.stringify({ json, padding: 'x'.repeat(1024 * 1024) })
  return damage === 'cut' || damage === 'stall' ? body.padEnd(64) : body
}

async function receive(logic: SupplierLogic, incoming: IncomingMessage): Promise<StandInRequest | undefined> {
  const rawBody = await readAll(incoming)
  if (rawBody === undefined) return undefined
  const url = new URL(incoming.url ?? '/', 'http://stand-in')
  const request = {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    rawBody,
    body: parseJson(rawBody),
  }
  return { ...request, places: logic.places(request) }
}

/** The whole body; undefined if the client went away. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
