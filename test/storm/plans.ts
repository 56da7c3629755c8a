import type { SupplierAnswer } from '../support/servers/scripted_supplier.ts'

/** What becomes of an item in the end: how much of it was delivered. */
export type Truth = 'all' | 'none' | 'part'

type Method = 'PUT' | 'GET'

/** One step of a supplier: what it answers, and whether it has taken the order, or knows it already. */
type Step = { takes: boolean; answer: SupplierAnswer | 'slow' }

/** An order at a supplier as its script sees it. */
type Scene = {
  method: Method
  /** How often the supplier was asked this way for the item, this time included. */
  nth: number
  isFirstSupplier: boolean
  quantity: number
  codes: (count: number) => string[]
  /** Whether what this plan waits for has come: a push that was taken, or the end of the storm. */
  isReleased: boolean
}

export type Plan = {
  truth: Truth
  keysOnly?: boolean
  /** It completes by a push. */
  pushes?: boolean
  /** Somebody else pushes a forged refusal. */
  forged?: boolean
  /** An operator has to settle it. */
  held?: boolean
  step(scene: Scene): Step
}

const processing: SupplierAnswer = { status: 202, json: { status: 'processing', codes: ['early'] } }
const failure = (fields: object): SupplierAnswer => ({ status: 200, json: { status: 'failed', ...fields } })
const refusal = { errorCode: 'INVALID_PLAYER', reason: 'Игрок не найден' }
const outOfStock = failure({ errorCode: 'OUT_OF_STOCK' })
const completed = ({ codes, quantity }: Scene): SupplierAnswer => ({
  status: 200,
  json: { status: 'completed', codes: codes(quantity), supplierOrderId: 'S-1' },
})
const took = (answer: Step['answer']): Step => ({ takes: true, answer })
const lost = (answer: Step['answer']): Step => ({ takes: false, answer })
const isPut = ({ method }: Scene) => method === 'PUT'

/** Every way in which a supplier can treat an item. A product's deliveryData names the one that it gets. */
const plans = {
  completes: { truth: 'all', step: (scene) => took(completed(scene)) },
  later: { truth: 'all', step: (scene) => took(isPut(scene) || scene.nth < 3 ? processing : completed(scene)) },
  refuses: { truth: 'none', step: (scene) => took(isPut(scene) ? { status: 422, json: refusal } : failure(refusal)) },
  fails: { truth: 'none', step: (scene) => took(isPut(scene) ? processing : failure(refusal)) },
  partial: {
    truth: 'part',
    keysOnly: true,
    step: ({ codes, quantity }) => took(failure({ ...refusal, codes: codes(quantity - 1) })),
  },
  'out of stock': { truth: 'all', step: (scene) => took(scene.isFirstSupplier ? outOfStock : completed(scene)) },
  'out of stock later': {
    truth: 'all',
    step: (scene) => took(scene.isFirstSupplier ? (isPut(scene) ? processing : outOfStock) : completed(scene)),
  },
  'sold out': { truth: 'none', step: () => took(outOfStock) },
  'answer lost': { truth: 'all', step: (scene) => took(isPut(scene) ? 'reset' : completed(scene)) },
  'answer half': {
    truth: 'all',
    step: (scene) =>
      took(isPut(scene) ? { status: 200, json: { status: 'completed', codes: [] }, stop: 'reset' } : completed(scene)),
  },
  'request lost': {
    truth: 'all',
    step: (scene) => (isPut(scene) && scene.nth === 1 ? lost('reset') : took(completed(scene))),
  },
  'request refused for now': {
    truth: 'all',
    step: (scene) => (isPut(scene) && scene.nth === 1 ? lost({ status: 503, json: {} }) : took(completed(scene))),
  },
  slow: { truth: 'all', step: (scene) => took(isPut(scene) ? 'slow' : completed(scene)) },
  errors: {
    truth: 'all',
    step: (scene) => took(isPut(scene) || scene.nth < 2 ? { status: 500, json: {} } : completed(scene)),
  },
  'no sense': {
    truth: 'all',
    step: (scene) => took(isPut(scene) ? { status: 200, text: '<html>OK</html>' } : completed(scene)),
  },
  pushed: {
    truth: 'all',
    pushes: true,
    step: (scene) => took(!isPut(scene) && scene.isReleased ? completed(scene) : processing),
  },
  'pushed and asked': {
    truth: 'all',
    pushes: true,
    step: (scene) => took(isPut(scene) ? processing : completed(scene)),
  },
  forged: {
    truth: 'all',
    forged: true,
    step: (scene) => took(isPut(scene) || scene.nth < 3 ? processing : completed(scene)),
  },
  contradicts: {
    truth: 'part',
    keysOnly: true,
    held: true,
    step: ({ codes, quantity }) => took({ status: 200, json: { status: 'completed', codes: codes(quantity - 1) } }),
  },
} satisfies { [name: string]: Plan }

export type PlanName = keyof typeof plans

/** The plan of a name. */
export const planOf = (name: PlanName): Plan => plans[name]

/** How likely each plan is: mostly all goes well. */
export const planWeights: { readonly [name in PlanName]: number } = {
  completes: 30,
  later: 6,
  refuses: 6,
  fails: 5,
  partial: 5,
  'out of stock': 4,
  'out of stock later': 3,
  'sold out': 3,
  'answer lost': 4,
  'answer half': 3,
  'request lost': 4,
  'request refused for now': 3,
  slow: 2,
  errors: 4,
  'no sense': 3,
  pushed: 5,
  'pushed and asked': 3,
  forged: 3,
  contradicts: 3,
}

/** How an operator settles a held item, by its reference: with the missing codes, not at all, or with those there are. */
export function settlementOf(reference: string): Truth {
  return (['all', 'none', 'part'] as const)[Number.parseInt(reference.slice(0, 4), 16) % 3] ?? 'none'
}

/** The codes that an item gets, in their order. */
export const codesOf = (reference: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${reference.slice(0, 13)}-${index}`)

/** How receivers treat an event at first; in the end all of them take it. */
export const receiverWeights = {
  takes: 40,
  'takes slowly': 8,
  hangs: 3,
  'error 500': 6,
  'too many': 4,
  gone: 4,
  redirects: 3,
  'hangs up': 6,
} as const

export type ReceiverPlan = keyof typeof receiverWeights
