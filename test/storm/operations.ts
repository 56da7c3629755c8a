import { randomUUID } from 'node:crypto'
import { products } from '../support/partner.ts'
import type { Calm } from './calm.ts'
import type { Answer, Client } from './client.ts'
import {
  type Account,
  heed,
  hundredths,
  type Intent,
  isForbidden,
  isPlaced,
  movingProduct,
  type OrderBody,
  prices,
  repeatedProduct,
  type WantedItem,
} from './model.ts'
import type { Operators } from './operators.ts'
import { type PlanName, planOf, planWeights, type ReceiverPlan, receiverWeights } from './plans.ts'
import type { Random } from './random.ts'
import type { Receivers } from './receivers.ts'
import { repeatedPlans } from './repeated.ts'
import type { Report } from './report.ts'

export type Partners = { client: Client; operators: Operators; receivers: Receivers; calm: Calm; report: Report }

const weights = {
  order: 50,
  burst: 4,
  'twice at once': 8,
  'repeat later': 8,
  conflict: 5,
  overspend: 4,
  'bad input': 5,
  deposit: 4,
  adjustment: 3,
  read: 7,
  'have redelivered': 2,
  'rotate the key': 0.5,
  'set a budget': 0.5,
  'switch off': 0.3,
  'change a price': 1,
} as const

/** One partner's day: one operation after another until the calm begins. What it does hangs on the stream alone. */
export async function runPartner(
  account: Account,
  partners: Partners,
  random: Random,
  meanPauseMs: number,
): Promise<void> {
  const { calm, report } = partners
  for (let n = 1; !calm.hasBegun(); n += 1) {
    const operation = random.weighted(weights)
    report.count('operations')
    // How much an operation draws hangs on what comes of it.
    await operations[operation](account, partners, random.branch(n))
    await calm.pause(random.int(0, 2 * meanPauseMs))
  }
}

type Operation = (account: Account, partners: Partners, random: Random) => Promise<void>

const operations: { [name in keyof typeof weights]: Operation } = {
  order: async (account, partners, random) => {
    const intent = wantOrder(account, partners, random)
    await insist(intent, partners, random)
  },
  burst: async (account, partners, random) => {
    const intents = Array.from({ length: random.int(3, 8) }, () => wantOrder(account, partners, random))
    await Promise.all(intents.map((intent) => placeOnce(intent, partners, random)))
  },
  'twice at once': async (account, partners, random) => {
    const intent = wantOrder(account, partners, random)
    partners.report.count('repeats asked')
    await Promise.all([placeOnce(intent, partners, random), placeOnce(intent, partners, random)])
  },
  'repeat later': async (account, partners, random) => {
    const place = random.next()
    const intent = account.intents[Math.floor(place * account.intents.length)]
    if (intent === undefined) return
    partners.report.count('repeats asked')
    await placeOnce(intent, partners, random)
  },
  conflict: async (account, partners, random) => {
    const place = random.next()
    const known = account.intents.filter((intent) => intent.codes.size > 0)
    const intent = known[Math.floor(place * known.length)]
    if (intent !== undefined) await contradict(intent, partners)
  },
  overspend: async (account, partners, random) => {
    const items = [wantedItem(products.expensive, 100, 'completes')]
    const many = Array.from({ length: 50 }, () => items[0] as WantedItem)
    const intent = keep(account, { externalOrderId: reference(account, random), items: many }, true)
    await placeOnce(intent, partners, random)
  },
  'bad input': async (account, partners, random) => {
    const good = [wantedItem(products.topUp, 1, 'completes')]
    const body = { externalOrderId: reference(account, random), items: good, ...random.pick(faults) }
    await placeOnce(keep(account, body as OrderBody, true), partners, random)
  },
  deposit: (account, { operators }, random) => operators.deposit(account, random.int(1_000, 90_000)),
  adjustment: (account, { operators }, random) => operators.adjust(account, random.int(1, 5_000)),
  read: (account, partners, random) => read(account, partners, random),
  'have redelivered': (account, partners, random) => haveRedelivered(account, partners, random),
  'rotate the key': (account, { operators }) => operators.rotateKey(account),
  'set a budget': async (account, { operators, calm }, random) => {
    await operators.setBudget(account, random.int(1, 3))
    await calm.pause(random.int(500, 2_000))
    await operators.setBudget(account, null)
  },
  'switch off': async (account, { operators, calm }, random) => {
    await operators.setActive(account, false)
    await calm.pause(random.int(200, 1_500))
    await operators.setActive(account, true)
  },
  'change a price': (_, { operators }, random) => operators.changePrice(random.int(400, 600)),
}

const faults: object[] = [
  { items: [] },
  { items: 'many' },
  { items: [{ productId: 999_999, quantity: 1, deliveryData: {} }] },
  { items: [{ productId: products.outOfStock, quantity: 1, deliveryData: { gameUserId: '1' } }] },
  { items: [{ productId: products.topUp, quantity: 0, deliveryData: { gameUserId: '1' } }] },
  { items: [{ productId: products.topUp, quantity: 101, deliveryData: { gameUserId: '1' } }] },
  { items: [{ productId: products.topUp, quantity: 1, deliveryData: {} }] },
  { callbackUrl: 'ftp://example.com/hook' },
  { callbackUrl: 'http://10.0.0.1/hook' },
  { callbackUrl: 'http://user:password@example.com/' },
  { callbackUrl: 7 },
  { maxTotal: 0.01 },
]

function reference({ accountId, intents }: Account, random: Random): string {
  return `${accountId}-${intents.length}-${random.int(0, 999_999).toString(36)}`
}

function wantedItem(productId: number, quantity: number, plan: PlanName, gameUserId = '1'): WantedItem {
  return { productId, quantity, deliveryData: { plan, gameUserId } }
}

function wantOrder(account: Account, { receivers }: Partners, random: Random): Intent {
  const isPoor = account.sort === 'poor'
  const externalOrderId = reference(account, random)
  const count = Number(random.weighted({ 1: 7, 2: 2, 3: 1 }))
  const items = Array.from({ length: count }, (_, index) => {
    const isRepeated = account.sort !== 'dollars' && random.chance(0.15)
    if (isRepeated) {
      return wantedItem(repeatedProduct, 1, random.pick(repeatedPlans), `${externalOrderId}-${index}`)
    }
    const drawn = random.weighted(planWeights)
    const plan = account.sort === 'dollars' && planOf(drawn).keysOnly ? 'completes' : drawn
    const expensive = isPoor ? products.expensive : products.topUp
    const rouble =
      planOf(plan).keysOnly || random.chance(0.4)
        ? products.key
        : random.pick([products.topUp, movingProduct, expensive])
    const productId = account.sort === 'dollars' ? products.dollars : rouble
    const quantity = random.int(planOf(plan).keysOnly ? 2 : 1, 4)
    return wantedItem(productId, quantity, plan, `${externalOrderId}-${index}`)
  })
  const receiver = random.chance(0.75) ? random.weighted(receiverWeights) : undefined
  const callbackUrl = receiver === undefined ? {} : { callbackUrl: receivers.urlFor(receiver, externalOrderId) }
  const maxTotal = random.chance(0.1) ? { maxTotal: random.int(10, 100) } : {}
  const idempotencyKey = random.chance(0.2) ? `key-${externalOrderId}` : undefined
  return keep(account, { externalOrderId, items, ...callbackUrl, ...maxTotal }, false, { receiver, idempotencyKey })
}

function keep(
  account: Account,
  body: OrderBody,
  isRefusable: boolean,
  more: { receiver?: ReceiverPlan | undefined; idempotencyKey?: string | undefined } = {},
): Intent {
  const items = Array.isArray(body.items) ? body.items : []
  const isMoving = items.some(({ productId }) => productId === movingProduct)
  const sum = items.reduce((total, { productId, quantity }) => total + (prices[productId] ?? 0) * quantity, 0)
  const total = isMoving ? undefined : sum
  const state = { codes: new Set<string>(), created: 0, refused: 0, unknown: 0 }
  const given = { receiver: more.receiver, idempotencyKey: more.idempotencyKey }
  const intent = { account, body, isRefusable, total, ...given, ...state }
  account.intents.push(intent)
  return intent
}

/** Places the order, and repeats it a few times while the outcome is unknown, as a careful partner does. */
async function insist(intent: Intent, partners: Partners, random: Random): Promise<void> {
  await placeOnce(intent, partners, random)
  for (let attempt = 1; attempt <= 3 && isPlaced(intent) === undefined; attempt += 1) {
    await partners.calm.pause(random.int(100, 1_000))
    partners.report.count('repeats asked')
    await placeOnce(intent, partners, random)
  }
}

/** Sends the order once; now and then its answer is lost on the way. */
export async function placeOnce(intent: Intent, { client, report, calm }: Partners, random?: Random): Promise<void> {
  const dice = random?.next() ?? 1
  const treatment = calm.hasBegun() || dice > 0.08 ? 'pass' : dice > 0.03 ? 'drop answers' : 'cut after request'
  if (treatment !== 'pass') report.count(treatment === 'drop answers' ? 'answers dropped' : 'requests cut')
  heed(intent, await post(client, intent, intent.body, treatment), report)
}

function post(
  client: Client,
  { account, idempotencyKey }: Intent,
  body: object,
  treatment: 'pass' | 'drop answers' | 'cut after request',
): Promise<Answer> {
  const headers = {
    'x-forwarded-for': account.address,
    ...(idempotencyKey === undefined ? {} : { 'x-idempotency-key': idempotencyKey }),
  }
  return client.send('POST', '/b2b/orders', { key: account.key, headers, body, treatment })
}

async function contradict(intent: Intent, { client, report }: Partners): Promise<void> {
  const [first, ...rest] = intent.body.items
  if (first === undefined) return
  const items = [{ ...first, quantity: first.quantity + 1 }, ...rest]
  const { status, json } = await post(client, intent, { ...intent.body, items }, 'pass')
  report.count('conflicts asked')
  const subject = `${intent.body.externalOrderId} of account ${intent.account.accountId} (${status})`
  if (status === 0 || status >= 500 || isForbidden(intent.account, status)) return
  const text = 'idempotency_key_reused_with_different_body'
  if (status !== 409 || json.error !== text || !intent.codes.has(json.orderCode)) {
    report.difference('another order under the same key was not refused', `${subject} ${JSON.stringify(json)}`)
  }
}

async function read(account: Account, { client, report }: Partners, random: Random): Promise<void> {
  const headers = { 'x-forwarded-for': account.address, 'x-request-id': randomUUID() }
  const get = (path: string) => client.send('GET', path, { key: account.key, headers })
  const place = random.next()
  const balance = await get('/b2b/balance')
  if (balance.status === 200 && hundredths(balance.json.data.balance) < 0) {
    report.difference('a balance is below zero', String(account.accountId))
  }
  const known = account.intents.filter((intent) => intent.codes.size > 0)
  const intent = known[Math.floor(place * known.length)]
  if (intent === undefined) return
  const [code = ''] = intent.codes
  const { status, json } = await get(`/b2b/orders/${code}`)
  if (status === 0 || status >= 500) return
  if (isForbidden(account, status)) return
  if (status !== 200) {
    report.difference('an order that was acknowledged is not there', `${code} (${status})`)
    return
  }
  const before = account.statuses.get(code)
  if (before !== undefined && before !== 'processing' && before !== json.data.status) {
    report.difference('a final order changed', `${code} from ${before} to ${json.data.status}`)
  }
  account.statuses.set(code, json.data.status)
}

/** Asks for a redelivery of an event, as its partner may: whatever state it is in. */
async function haveRedelivered(
  account: Account,
  { client, operators, report }: Partners,
  random: Random,
): Promise<void> {
  const place = random.next()
  const told = account.intents.filter(({ receiver, codes }) => receiver !== undefined && codes.size > 0)
  const [code] = told[Math.floor(place * told.length)]?.codes ?? []
  if (code === undefined) return
  const call = { key: account.key, headers: { 'x-forwarded-for': account.address } }
  const order = await client.send('GET', `/b2b/orders/${code}`, call)
  const eventId = order.status === 200 ? order.json.data.deliveries?.eventId : undefined
  if (eventId === undefined) return
  operators.noteRound(eventId)
  const { status } = await client.send('POST', `/b2b/events/${eventId}/redeliver`, call)
  report.count(`redeliveries asked: ${status}`)
  if (status === 0 || status >= 500 || isForbidden(account, status)) return
  if (![202, 422, 429].includes(status)) {
    report.difference('a redelivery was answered otherwise', `${eventId} (${status})`)
  }
}
