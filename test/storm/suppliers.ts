import { signature } from '../../src/messages/sign.ts'
import {
  type ScriptedSupplier,
  type SupplierRequest,
  startScriptedSupplier,
} from '../support/servers/scripted_supplier.ts'
import type { Calm } from './calm.ts'
import type { Client } from './client.ts'
import type { WantedItem } from './model.ts'
import { codesOf, type PlanName, planOf } from './plans.ts'
import type { Random } from './random.ts'
import { type RepeatedSupplier, startRepeatedSupplier } from './repeated.ts'
import type { Report } from './report.ts'

/** What a supplier knows of one of our references. */
type Entry = {
  supplier: string
  plan: PlanName
  /** The player that it is for: each item has one of its own. */
  player: string
  quantity: number
  /** Of the first PUT, and the same in all. */
  body: string
  puts: number
  gets: number
  taken: boolean
  saidOutOfStock: boolean
  /** A push that completed it was taken. */
  pushed: boolean
}

export type Suppliers = {
  list: (ScriptedSupplier & { code: string })[]
  repeated: RepeatedSupplier
  /** What a supplier has of a reference. */
  entry(supplier: string, reference: string): Entry | undefined
  references(): Set<string>
  close(): Promise<void>
}

const codes = ['first', 'second']

/** Starts suppliers that treat every item as its plan says, and note what was unsafe in what they were sent. */
export async function startSuppliers(
  context: { client: () => Client; calm: Calm; report: Report },
  random: Random,
): Promise<Suppliers> {
  const { calm, report } = context
  const books = new Map(codes.map((code) => [code, new Map<string, Entry>()]))
  const list = await Promise.all(
    codes.map(async (code) => ({ ...(await startScriptedSupplier({ token: `token-${code}` })), code })),
  )

  /** How often the supplier said that it never received the item. */
  const missed = new Map<string, number>()
  const misses = (supplier: string, reference: string) => missed.get(`${supplier} ${reference}`) ?? 0

  async function handle(supplier: ScriptedSupplier & { code: string }, request: SupplierRequest) {
    supplier.requests.length = 0
    const { reference } = request
    const book = books.get(supplier.code)
    const isPut = request.method === 'PUT'
    report.count(isPut ? 'sends to suppliers' : 'questions to suppliers')
    if (request.headers.authorization !== `Bearer ${supplier.token}`) report.difference('a wrong token came', reference)
    if (isPut && !book?.has(reference)) book?.set(reference, newEntry(supplier.code, request))
    const entry = book?.get(reference)
    if (entry === undefined || !(isPut || entry.taken)) {
      // A worker died between its lease and the send, or the send was lost.
      missed.set(`${supplier.code} ${reference}`, misses(supplier.code, reference) + 1)
      return { status: 404, json: {} }
    }
    if (isPut) judgeSend(entry, request)
    else entry.gets += 1
    const { takes, answer } = planOf(entry.plan).step({
      method: isPut ? 'PUT' : 'GET',
      nth: isPut ? entry.puts : entry.gets,
      isFirstSupplier: supplier.code === codes[0],
      quantity: entry.quantity,
      codes: (count) => codesOf(reference, count),
      isReleased: entry.pushed || calm.hasBegun(),
    })
    if (takes && !entry.taken) {
      entry.taken = true
      pushLater(supplier, reference, entry)
    }
    if (JSON.stringify(answer).includes('OUT_OF_STOCK')) entry.saidOutOfStock = true
    if (answer !== 'slow') return answer
    await calm.pause(31_000)
    return 'reset' as const
  }

  function judgeSend(entry: Entry, { reference, rawBody }: SupplierRequest): void {
    entry.puts += 1
    if (entry.body !== rawBody) report.difference(`${entry.supplier} was sent another content`, reference)
    // The send of a worker that stood still may come after another one's: each but the first has its 404 all the same.
    if (entry.puts > 1) report.count('sends repeated after a 404')
    if (entry.puts > 1 + misses(entry.supplier, reference)) {
      report.difference(`${entry.supplier} was sent again what it had not said that it never got`, reference)
    }
    for (const other of codes) {
      const elsewhere = other === entry.supplier ? undefined : books.get(other)?.get(reference)
      if (elsewhere !== undefined && !elsewhere.saidOutOfStock && entry.puts === 1) {
        report.difference(`sent to ${entry.supplier} though ${other} did not say out of stock`, reference)
      }
    }
  }

  function pushLater(supplier: ScriptedSupplier & { code: string }, reference: string, entry: Entry): void {
    const plan = planOf(entry.plan)
    const push = (body: object, token: string) => sendPush(context.client(), supplier.code, token, reference, body)
    const completes = { status: 'completed', codes: codesOf(reference, entry.quantity), supplierOrderId: 'S-1' }
    const refuses = { status: 'failed', errorCode: 'INVALID_PLAYER' }
    const own = random.branch(entry.player)
    const waitMs = own.int(50, 2_000)
    const again = own.chance(0.4)
    const contradicts = own.chance(0.3)
    if (plan.forged) void calm.pause(waitMs).then(forge)
    if (plan.pushes) void calm.pause(waitMs).then(pushUntilTaken)

    async function forge(): Promise<void> {
      const status = await push(refuses, 'a wrong token')
      report.count('pushes forged')
      if (status === 204) report.difference('a forged push was taken', reference)
    }

    async function pushUntilTaken(): Promise<void> {
      while (!(await taken('good', completes))) {
        if (calm.hasBegun()) return
        await calm.pause(1_000)
      }
      entry.pushed = true
      if (again) await taken('repeated', completes)
      if (contradicts) await taken('contradicting', refuses)
    }

    async function taken(kind: string, body: object): Promise<boolean> {
      const status = await push(body, supplier.token)
      report.count(`pushes ${kind}`)
      if (status !== 204 && status !== 0 && status < 500) {
        report.difference(`a ${kind} push got ${status}`, reference)
        return true
      }
      return status === 204
    }
  }

  for (const supplier of list) supplier.setAnswer((request) => handle(supplier, request))
  const repeated = await startRepeatedSupplier({ calm, report })
  return {
    ...{ list, repeated },
    entry: (supplier, reference) => books.get(supplier)?.get(reference),
    references: () => new Set([...[...books.values()].flatMap((book) => [...book.keys()]), ...repeated.references()]),
    close: async () => void (await Promise.all([...list, repeated].map((supplier) => supplier.close()))),
  }
}

function newEntry(supplier: string, { rawBody, body }: SupplierRequest): Entry {
  const { quantity, deliveryData } = body as Pick<WantedItem, 'quantity' | 'deliveryData'>
  const { plan, gameUserId: player } = deliveryData
  const state = { puts: 0, gets: 0, taken: false, saidOutOfStock: false, pushed: false }
  return { supplier, plan, player, quantity, body: rawBody, ...state }
}

async function sendPush(
  client: Client,
  code: string,
  token: string,
  reference: string,
  answer: object,
): Promise<number> {
  const body = JSON.stringify({ reference, ...answer })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers = { 'x-supplier-timestamp': timestamp, 'x-supplier-signature': signature(token, timestamp, body) }
  return (await client.send('POST', `/suppliers/${code}/results`, { headers, body })).status
}
