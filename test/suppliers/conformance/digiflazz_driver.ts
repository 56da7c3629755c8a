import { createDigiflazzAdapter } from '../../../src/suppliers/digiflazz/adapter.ts'
import { createDigiflazz } from '../../support/servers/digiflazz.ts'
import { type StandInAnswer, startStandIn } from '../../support/servers/supplier_stand_in.ts'
import type { ConformanceDriver, Plan, TestSupplier } from './driver.ts'

/** The protocol `digiflazz`, before a stand-in that checks each request by the API's documents. */
export const digiflazzDriver: ConformanceDriver = {
  protocol: 'digiflazz',
  create: createDigiflazzAdapter,
  startSupplier,
  delivers: 'topUps',
  call: { sku: 'game86', unitCost: '790.00', currency: 'IDR', recipient: '5123456789' },
  foreign: {
    'names another reference': changing({ ref_id: crypto.randomUUID() }),
    'is about another product': changing({ buyer_sku_code: 'game172' }),
    'is about another customer': changing({ customer_no: '5123456780' }),
  },
  outcomes: {
    refused: { outcome: 'not_placed', cause: 'settings' },
    balanceSpent: { outcome: 'not_placed', cause: 'balance' },
    tokenExpired: { outcome: 'not_placed', cause: 'credentials' },
  },
  events: {
    about: (reference, supplier) => eventOf(supplier, 'update', { ref_id: reference, rc: '00', status: 'Sukses' }),
    other: (supplier) => eventOf(supplier, 'ping', { sed: 'hello' }),
  },
}

const codes: { [plan: string]: string } = { refuse: '43', 'out of stock': '68', 'balance spent': '44' }
const codeOf = (plan: Plan) =>
  typeof plan === 'string' ? (codes[plan] ?? '') : { processing: '03', completed: '00', failed: '51' }[plan.status]

const makers = new WeakMap<object, ReturnType<typeof createDigiflazz>>()
const eventOf = (supplier: object, name: string, data: object) => {
  const digiflazz = makers.get(supplier)
  if (digiflazz === undefined) throw new Error('not a supplier of this driver')
  return digiflazz.event(name, data)
}

async function startSupplier(): Promise<TestSupplier> {
  const digiflazz = createDigiflazz()
  const standIn = await startStandIn({ places: ({ path }) => path.endsWith('/transaction'), answer: digiflazz.answer })
  const tokenOf = (apiKey: string) => `${digiflazz.username}:${apiKey}`
  const supplier: TestSupplier = {
    ...standIn,
    token: tokenOf(digiflazz.apiKey),
    nextToken: tokenOf('the-next-key'),
    secret: digiflazz.secret,
    violations: digiflazz.violations,
    plan: (reference, plan) => digiflazz.setCode(reference, codeOf(plan)),
    ordersFor: (reference) => digiflazz.made.get(reference) ?? 0,
    changeToken: (token) => {
      digiflazz.apiKey = token.split(':')[1] ?? ''
    },
    fund: (balance) => {
      digiflazz.deposit = balance
    },
    list: ({ sku, cost, stock }) => digiflazz.setProduct(sku, { price: Number(cost), stock: stock ?? 0 }),
  }
  makers.set(supplier, digiflazz)
  return supplier
}

/** Changes what an answer about a transaction says. */
function changing(fields: object): (answer: StandInAnswer) => StandInAnswer {
  return (answer) => {
    const { data } = answer.json as { data: object }
    return { ...answer, json: { data: { ...data, ...fields } } }
  }
}
