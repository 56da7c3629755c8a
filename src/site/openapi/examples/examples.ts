import { places } from '../../home.ts'
import type { Examples } from '../types.ts'
import * as account from './account.ts'
import { answers } from './bodies.ts'
import * as catalog from './catalog.ts'
import * as events from './events.ts'
import * as orders from './orders.ts'

/** The examples of an operation: of its request's body, and of the bodies of its answers by status. */
type OfOperation = { body?: Examples; csv?: Examples; [status: number]: Examples }

/** The examples by the ids of their operations. */
export const examples: { [id: string]: OfOperation } = {
  getMe: { 200: account.me },
  getBalance: { 200: account.balances },
  listTransactions: { 200: account.transactionPages, csv: account.transactionsCsv },
  listGames: { 200: catalog.games },
  listProducts: { 200: catalog.productLists },
  listCatalog: { 200: catalog.catalogPages },
  getProduct: { 200: catalog.productAnswers },
  placeOrder: { body: orders.orderRequests, 200: orders.orders, 201: orders.placedOrders },
  listOrders: { 200: orders.orderPages },
  quoteOrder: { body: orders.quoteRequests, 200: orders.quotes },
  getOrder: { 200: orders.readOrders },
  getOrderTimeline: { 200: events.timelines },
  listResults: { 200: orders.resultPages },
  listEvents: { 200: events.eventPages },
  getEvent: { 200: events.events },
  redeliverDeadEvents: { body: events.redeliverDeadRequests, 202: events.redeliveryCounts },
  redeliverEvent: { body: events.redeliveryRequests, 202: events.redeliveries },
  simulateOrder: { body: orders.orderRequests, 200: orders.simulatedOrders, 201: orders.placedSimulatedOrders },
  getSimulatedOrder: { 200: orders.simulatedOrders },
  simulateWebhook: { body: events.simulationRequests, 202: events.simulations },
  getSimulation: { 200: events.simulationStates },
  pushResult: { body: events.supplierResults },
  pushEvent: { body: events.completedEvents },
  getPlaces: { 200: answers({ 'The paths': { service: 'supply-ordering', ...places } }) },
  getLiveness: { 200: answers({ Alive: { status: 'ok' } }) },
  getReadiness: {
    200: answers({
      Ready: { status: 'ready' },
      WrongClock: { status: 'ready', clock: "600 s ahead of the database's" },
    }),
  },
}
