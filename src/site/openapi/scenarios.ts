import type * as v from 'valibot'
import { transaction } from '../../http/models/account.ts'
import { productTexts, productWithTexts } from '../../http/models/catalog.ts'
import * as models from '../../http/models/orders.ts'
import { amount } from '../../http/models/parts.ts'
import { exampleOf } from './components.ts'

/** What a single example cannot show. All other examples are composed of those of the fields. */

const of = (model: v.GenericSchema) => Object(exampleOf(model))

/* One order in its states: a top-up of a player and two keys */

const placedAt = '2026-03-02T09:41:02.117Z'
const endedAt = '2026-03-02T09:41:07.498Z'
const reason = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'
const cdKeys = [{ code: 'AAAAA-BBBBB-CCCCC' }, { code: 'DDDDD-EEEEE-FFFFF' }]
const topUp = of(models.item)
const keys = {
  ...topUp,
  id: '6f1d2b0e-8c57-4f0a-9d0b-3a1c5e7b2d48',
  productId: 112,
  productName: 'Frost Kingdoms: Deep Ice',
  amount: 2,
  price: amount(790),
}
const inProgress = {
  ...of(models.order),
  totalAmount: amount(1669),
  createdAt: placedAt,
  updatedAt: placedAt,
  items: [topUp, keys],
  orders: [{ code: of(models.order).code, total: amount(1669), itemCount: 2 }],
}
const ended = { updatedAt: endedAt, completedAt: endedAt }
const done = { status: 'completed', completedAt: endedAt }
const refused = { status: 'failed', errorCode: 'PLAYER_NOT_FOUND', errorMessage: reason, completedAt: endedAt }
const topUpRefused = { ...topUp, ...refused, refundedAmount: amount(89) }
const keysDone = { ...keys, ...done, cdKeys }
const completed = {
  ...{ ...inProgress, ...ended, status: 'completed', outcome: 'full', items: [{ ...topUp, ...done }, keysDone] },
}
const failed = { ...inProgress, ...ended, status: 'failed', error: 'ORDER_FAILED', reason }
const partial = { ...failed, outcome: 'partial', refundedAmount: amount(89), items: [topUpRefused, keysDone] }
const soldOut = { errorCode: 'OUT_OF_STOCK', errorMessage: null, refundedAmount: amount(1580) }
const nothing = {
  ...{ ...failed, outcome: 'none', refundedAmount: amount(1669) },
  items: [topUpRefused, { ...keys, ...refused, ...soldOut }],
}
const dead = of(models.deliveries)
const delivered = { ...dead, state: 'delivered', attempts: 1, lastStatus: 200, lastError: null }

const simulatedCode = 'sim_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60'
const simulated = {
  code: simulatedCode,
  orderCode: simulatedCode,
  paymentCode: 'sim_pay_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60',
  orders: [{ code: simulatedCode, total: amount(1669), itemCount: 2 }],
  simulated: true,
}

const topUpRequest = { productId: 101, deliveryData: { gameUserId: '123456789' } }
const orderRequests = {
  'A top-up and two keys, with a webhook and limits for the price': {
    externalOrderId: inProgress.externalOrderId,
    callbackUrl: inProgress.callbackUrl,
    maxTotal: 1700,
    items: [topUpRequest, { productId: 112, quantity: 2, maxPrice: 800 }],
  },
  'A top-up': { externalOrderId: 'shop-1000', items: [topUpRequest] },
}

const nothingElse = { itemId: null, amount: null, round: null, attempt: null, status: null, error: null }
const entry = { ...nothingElse, nextAttemptAt: null }
const delivery = { ...entry, round: 1, attempt: 1 }

/** Examples of a body by their titles. Of an answer, each is the `data`. */
type Bodies = { [title: string]: unknown }

/** The scenarios by the ids of their operations: of the request's body, of an answer by its status, and as CSV. */
export const scenarios: { [id: string]: { body?: Bodies; csv?: Bodies; [status: number]: Bodies } } = {
  listTransactions: { csv: { 'The same page as CSV': csvOf([of(transaction)]) } },
  getProduct: {
    200: {
      'A top-up': { ...of(productWithTexts), texts: of(productTexts) },
      'A product of keys': {
        ...of(productWithTexts),
        ...{ id: 112, gameSlug: 'frost-kingdoms', name: 'Frost Kingdoms: Deep Ice', slug: 'frost-kingdoms-deep-ice' },
        ...{ wholesalePrice: amount(790), region: 'RU', deliveryType: 'key', amountType: null, maxQuantity: 10 },
        ...{
          countries: ['RU'],
          platform: 'Steam',
          imageUrl: 'https://img.supply.example/frost.png',
          deliveryDataSchema: [],
        },
      },
    },
  },
  placeOrder: {
    body: orderRequests,
    200: { 'In progress': inProgress, Completed: completed, 'Partial result': partial, Failed: nothing },
    201: { 'In progress': inProgress },
  },
  quoteOrder: {
    200: {
      'The order would be accepted': of(models.quote),
      'The balance is too low': {
        ...of(models.quote),
        balance: amount(12.5),
        balanceAfter: amount(-76.5),
        wouldBeRefused: {
          status: 402,
          error: 'Insufficient balance',
          code: 'INSUFFICIENT_BALANCE',
          details: { balance: 12.5, required: 89, currency: 'RUB' },
        },
      },
    },
  },
  getOrder: {
    200: {
      'Completed, webhook delivered': { ...completed, deliveries: delivered },
      'In progress': { ...inProgress, deliveries: null },
      'Partial result: no webhook': { ...partial, deliveries: null },
      'Failed, webhook in dead letters': { ...nothing, deliveries: dead },
    },
  },
  getOrderTimeline: {
    200: {
      'Completed, webhook in dead letters': {
        code: inProgress.code,
        entries: [
          { ...entry, at: placedAt, what: 'placed' },
          { ...entry, at: placedAt, what: 'charged', amount: amount(1669) },
          { ...entry, at: '2026-03-02T09:41:02.130Z', what: 'sent_to_supplier', itemId: topUp.id },
          { ...entry, at: endedAt, what: 'item_completed', itemId: topUp.id },
          { ...entry, at: endedAt, what: 'order_completed' },
          { ...entry, at: endedAt, what: 'event_created' },
          { ...delivery, at: '2026-03-02T09:41:07.530Z', what: 'delivery_attempt', status: 404, error: 'http_404' },
          { ...delivery, at: '2026-03-02T09:41:07.812Z', what: 'given_up' },
        ],
      },
    },
  },
  redeliverEvent: { 202: { 'A new round': { ...dead, state: 'waiting', attempts: 0, nextAttemptAt: endedAt } } },
  simulateOrder: {
    body: orderRequests,
    200: { Completed: { ...completed, ...simulated, deliveries: delivered } },
    201: { 'In progress': { ...inProgress, ...simulated } },
  },
  getSimulatedOrder: {
    200: {
      'Completed, webhook delivered': { ...completed, ...simulated, deliveries: delivered },
      'In progress': { ...inProgress, ...simulated },
    },
  },
  pushResult: {
    body: {
      'Two keys': {
        reference: keys.id,
        status: 'completed',
        codes: cdKeys.map(({ code }) => code),
        supplierOrderId: 'S-100234',
      },
      'A refusal': { reference: topUp.id, status: 'failed', errorCode: 'PLAYER_NOT_FOUND', reason },
    },
  },
}

function csvOf(rows: { [column: string]: unknown }[]): string {
  const field = (value: unknown) => (value === null ? '' : String(Object(value).rawJSON ?? value))
  const lines = rows.map((row) => Object.values(row).map(field).join(','))
  return [Object.keys(rows[0] ?? {}).join(','), ...lines, ''].join('\r\n')
}
