import { setTimeout as sleep } from 'node:timers/promises'
import { type Latencies, latenciesOf } from './figures.ts'
import { type Ports, startListeners } from './listeners.ts'
import {
  type Connection,
  noAnswer,
  openConnections,
  orderRequest,
  readRequest,
  referenceOf,
  type Shopper,
} from './requests.ts'

// A process of its own: it places the orders, is the supplier and the receivers, and takes the times, so that both ends
// of an order's way are seen by one clock. It ends with the process that started it.

/** Orders for a time: so many under way, each followed by the next, or so many a second, whatever becomes of them. */
export type OrderRun = {
  kind: 'orders'
  port: number
  shoppers: Shopper[]
  pace: { underWay: number } | { perSecond: number }
  /** An order ends with its webhook, or else with the response. */
  untilWebhook: boolean
  warmUpMs: number
  ms: number
  /** No more than so many. */
  limit?: number
}

/** Reads of each path in turn over one connection: so many rounds, or until the time is over. */
export type ReadRun = { kind: 'reads'; port: number; key: string; paths: string[]; rounds: number; ms: number }

export type LoadRun = OrderRun | ReadRun

/** `orders` ended within the measured time; `accepted` counts all that were ever placed in this run, so does the rest. */
export type OrderResult = {
  orders: number
  seconds: number
  latencies: Latencies
  accepted: number
  refused: number
  lost: number
  twice: number
}
export type ReadResult = { p50: number[]; failed: number }

export type LoadMessage =
  | { type: 'ready'; ports: Ports }
  /** The measured time of the run begins, or is over. */
  | { type: 'begin' | 'end' }
  | { type: 'result'; result: OrderResult | ReadResult }
  | { type: 'failed'; message: string }

/** The response has come; `ended` resolves when the order has ended. */
type Placed = { ended: Promise<void> }

const longestWayMs = 10_000
const connectionsAtARate = 128

let counter = 0
const arrivals = new Map<string, (at: number) => void>()
/** Orders whose webhooks are not waited for any more. */
const givenUp = new Set<string>()
let unexpected = 0

function tell(message: LoadMessage): void {
  process.send?.(message)
}

async function runOrders(run: OrderRun): Promise<OrderResult> {
  const { pace, warmUpMs, ms } = run
  const builders = run.shoppers.map(orderRequest)
  const count = 'underWay' in pace ? pace.underWay : connectionsAtARate
  const connections = await openConnections(run.port, count)
  const begin = performance.now() + warmUpMs
  const end = begin + ms
  const ways: number[] = []
  const tally = { orders: 0, accepted: 0, refused: 0, lost: 0 }
  let placed = 0
  unexpected = 0
  const closed = 'underWay' in pace

  async function place(connection: Connection, planned: number): Promise<Placed> {
    if (performance.now() > end + longestWayMs) {
      note(Number.POSITIVE_INFINITY, planned)
      return { ended: Promise.resolve() }
    }
    counter += 1
    const reference = referenceOf(counter)
    const build = builders[placed % builders.length]
    placed += 1
    if (build === undefined) throw new Error('nobody orders')
    const arrival = run.untilWebhook ? arrivalOf(reference) : undefined
    const status = await connection.send(build(reference))
    if (status !== 201) {
      tally.refused += 1
      arrivals.delete(reference)
      if (status === noAnswer) await sleep(100)
      return { ended: Promise.resolve() }
    }
    tally.accepted += 1
    return { ended: (arrival ?? Promise.resolve(performance.now())).then((at) => note(at, planned)) }
  }

  function note(at: number, planned: number): void {
    const within = at >= begin && at < end
    if (within) tally.orders += 1
    if (closed ? within : planned >= begin && planned < end) ways.push(at - planned)
    if (!Number.isFinite(at)) tally.lost += 1
  }

  let isEndTold = false
  const tellEnd = () => {
    if (!isEndTold) tell({ type: 'end' })
    isEndTold = true
  }
  const marks = [setTimeout(() => tell({ type: 'begin' }), warmUpMs), setTimeout(tellEnd, warmUpMs + ms)]
  let left = run.limit ?? Number.POSITIVE_INFINITY
  const giveUp = setTimeout(giveUpArrivals, warmUpMs + ms + longestWayMs)
  const takeOne = () => {
    left -= 1
    return left >= 0 && performance.now() < end
  }
  if (closed) {
    await Promise.all(
      connections.map(async (connection) => {
        while (takeOne()) await (await place(connection, performance.now())).ended
      }),
    )
  } else {
    await atRate(connections, { perSecond: pace.perSecond, takeOne }, place)
  }
  for (const timer of [...marks, giveUp]) clearTimeout(timer)
  // One connection may see that the time is over before its timer does.
  if (performance.now() >= end) tellEnd()
  for (const connection of connections) connection.close()
  const seconds = ms / 1000
  return { ...tally, seconds, latencies: latenciesOf(ways), twice: unexpected }
}

/** Starts orders at their planned times. One that finds no free connection waits for one, and its time runs. */
async function atRate(
  connections: readonly Connection[],
  { perSecond, takeOne }: { perSecond: number; takeOne: () => boolean },
  place: (connection: Connection, planned: number) => Promise<Placed>,
): Promise<void> {
  const free = [...connections]
  const waiting: number[] = []
  const ends: Promise<void>[] = []
  const startOn = async (connection: Connection, planned: number): Promise<void> => {
    const { ended } = await place(connection, planned)
    const next = waiting.shift()
    if (next === undefined) free.push(connection)
    else ends.push(startOn(connection, next))
    await ended
  }
  const began = performance.now()
  for (let n = 0; takeOne(); n += 1) {
    const planned = began + (n * 1000) / perSecond
    while (performance.now() < planned) await sleep(1)
    const connection = free.pop()
    if (connection === undefined) waiting.push(planned)
    else ends.push(startOn(connection, planned))
  }
  // What waits for a connection adds to the list while it is gone through.
  for (const end of ends) await end
}

function arrivalOf(reference: string): Promise<number> {
  return new Promise((resolve) => arrivals.set(reference, resolve))
}

function onWebhook(reference: string, at: number): void {
  const arrived = arrivals.get(reference)
  if (arrived === undefined && !givenUp.delete(reference)) unexpected += 1
  arrivals.delete(reference)
  arrived?.(at)
}

function giveUpArrivals(): void {
  for (const [reference, arrived] of arrivals) {
    givenUp.add(reference)
    arrived(Number.POSITIVE_INFINITY)
  }
  arrivals.clear()
}

async function runReads({ port, key, paths, rounds, ms }: ReadRun): Promise<ReadResult> {
  const [connection] = await openConnections(port, 1)
  const times = paths.map((): number[] => [])
  const end = performance.now() + ms
  let failed = 0
  for (let round = 0; round < rounds && performance.now() < end; round += 1) {
    for (const [index, path] of paths.entries()) {
      const began = performance.now()
      const status = await connection?.send(readRequest(key, path))
      if (status === 200) times[index]?.push(performance.now() - began)
      else failed += 1
    }
  }
  connection?.close()
  return { p50: times.map((list) => latenciesOf(list).p50), failed }
}

function perform(run: LoadRun): Promise<OrderResult | ReadResult> {
  return run.kind === 'orders' ? runOrders(run) : runReads(run)
}

process.on('disconnect', () => process.exit(0))
process.on('SIGINT', () => {})
process.on('message', (run: LoadRun) => {
  perform(run).then(
    (result) => tell({ type: 'result', result }),
    (error: unknown) => tell({ type: 'failed', message: String(error) }),
  )
})
tell({ type: 'ready', ports: await startListeners(Number(process.argv[2] ?? 0), onWebhook) })
