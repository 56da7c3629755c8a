import { createDigiflazz } from '../support/servers/digiflazz.ts'
import { type Response, startSupplierServer } from '../support/servers/supplier_server.ts'
import type { Calm } from './calm.ts'
import type { PlanName } from './plans.ts'
import type { Report } from './report.ts'

/** What the supplier that is asked by repeating knows of one of our references. */
type Sendings = { sent: number; made: number; lastAt: number; content: string }

export type RepeatedSupplier = {
  code: string
  url: string
  token: string
  /** How many transactions it made of a reference; undefined: it was never sent. */
  madeOf(reference: string): number | undefined
  references(): Iterable<string>
  close(): Promise<void>
}

/** The smallest wait of the protocol, less what clocks and a busy machine take. */
const leastMs = 57_000

type Treatment = { code: string; first?: 'reset' | 'cut' | 'no sense' | 'late' | 'lost' | 'refused'; later?: string }

/** How it treats the items of a plan: with a code, first in another way, or first with a code that is not final. */
const treatments: { [plan in PlanName]?: Treatment } = {
  completes: { code: '00' },
  later: { code: '03', later: '00' },
  refuses: { code: '51' },
  fails: { code: '99', later: '54' },
  'sold out': { code: '68' },
  'answer lost': { code: '00', first: 'reset' },
  'answer half': { code: '00', first: 'cut' },
  'no sense': { code: '00', first: 'no sense' },
  'request lost': { code: '00', first: 'lost' },
  'request refused for now': { code: '00', first: 'refused' },
  slow: { code: '00', first: 'late' },
}

/** The plans of its items, as often as those of all items. */
export const repeatedPlans = Object.keys(treatments) as PlanName[]

/**
 * Starts a supplier of the protocol `digiflazz`, which is asked for an order by sending it again. The recipient begins with
 * the plan of the item. It notes what was sent too soon, twice with other content, or as a second transaction.
 */
export async function startRepeatedSupplier({
  calm,
  report,
}: {
  calm: Calm
  report: Report
}): Promise<RepeatedSupplier> {
  const digiflazz = createDigiflazz()
  const book = new Map<string, Sendings>()

  async function handle({ body, ...request }: { method: string; target: string; body: unknown }): Promise<Response> {
    // Workers read our balance, too.
    if (!request.target.endsWith('/transaction')) return digiflazz.answer({ ...request, path: request.target, body })
    const { ref_id: reference = '', buyer_sku_code: sku, customer_no: customer = '' } = Object(body)
    const at = Date.now()
    const content = `${sku} ${customer}`
    const known = book.get(reference) ?? { sent: 0, made: 0, lastAt: 0, content }
    book.set(reference, known)
    known.sent += 1
    report.count(known.sent === 1 ? 'sends to suppliers' : 'questions by repeating')
    if (known.sent > 1 && at - known.lastAt < leastMs) {
      report.difference(`sent again after ${Math.round((at - known.lastAt) / 1_000)} s`, reference)
    }
    if (known.content !== content) report.difference('sent again with another content', reference)
    known.lastAt = at
    const { code, first, later } = treatments[customer.split(':')[0] as PlanName] ?? { code: '00' }
    const isFirst = known.sent === 1
    if (isFirst && first === 'lost') return 'reset'
    if (isFirst && first === 'refused') return { status: 503, json: {} }
    digiflazz.setCode(reference, isFirst || later === undefined ? code : later)
    const answer = digiflazz.answer({ ...request, path: request.target, body })
    known.made = digiflazz.made.get(reference) ?? 0
    if (known.made > 1) report.difference('a second transaction was made', reference)
    for (const violation of digiflazz.violations.splice(0)) report.difference('a request is wrong', violation)
    if (!isFirst || first === undefined) return answer
    if (first === 'late') await calm.pause(31_000)
    if (first === 'no sense') return { status: 200, text: '<html>OK</html>' }
    return first === 'cut' ? { ...answer, stop: 'reset' } : 'reset'
  }

  const server = await startSupplierServer(handle)
  return {
    ...{ code: 'third', url: server.url, token: `${digiflazz.username}:${digiflazz.apiKey}` },
    madeOf: (reference) => book.get(reference)?.made,
    references: () => book.keys(),
    close: server.close,
  }
}
