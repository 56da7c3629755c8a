import * as v from 'valibot'
import { clock } from '../../clock.ts'
import type { SupplierCall } from '../adapter.ts'
import { nothingElse } from '../answer.ts'
import { readAnswer } from '../body.ts'
import type { Exchange } from '../exchange.ts'
import { answered, hold, type NotPlacedCause, notPlaced, refused, type SupplierOutcome } from '../outcome.ts'

type Answer = { rc: string; price: number | null | undefined; call: SupplierCall; httpStatus: number }
type Meaning = (answer: Answer) => SupplierOutcome

// A transaction in doubt is asked for again after these waits, less what clocks and calls take. Then it has failed.
const [firstDoubt, secondDoubt, tolerance] = [120, 600, 20]

const ends =
  (status: 'processing' | 'completed'): Meaning =>
  ({ httpStatus, price }) =>
    answered({ ...nothingElse, status, unitPrice: price, currency: 'IDR' }, httpStatus)
const fails =
  (errorCode: string): Meaning =>
  ({ httpStatus }) =>
    refused(httpStatus, errorCode)
const placesNone =
  (cause: NotPlacedCause): Meaning =>
  ({ rc, httpStatus }) =>
    notPlaced(cause, `rc ${rc}`, { httpStatus })

/** It is called failed, and may still succeed. */
function doubt({ rc, call: { doubtedAt }, httpStatus }: Answer): SupplierOutcome {
  const seconds = doubtedAt === null ? 0 : (clock.now().getTime() - doubtedAt.getTime()) / 1000
  if (seconds >= firstDoubt + secondDoubt - tolerance) return refused(httpStatus, 'TIMEOUT')
  const retryAfter = seconds < firstDoubt - tolerance ? firstDoubt : secondDoubt
  return answered({ ...nothingElse, status: 'processing', errorCode: `RC_${rc}` }, httpStatus, retryAfter)
}

const table: [codes: string, status: 'Sukses' | 'Pending' | 'Gagal', meaning: Meaning][] = [
  ['00', 'Sukses', ends('completed')],
  ['03 99', 'Pending', ends('processing')],
  ['01 70', 'Gagal', doubt],
  ['49', 'Gagal', ({ httpStatus }) => hold('rc 49: our reference has a transaction of other content', { httpStatus })],
  ['41 42 45', 'Gagal', placesNone('credentials')],
  ['40 43 63 67 80 81 82 87 88', 'Gagal', placesNone('settings')],
  ['44 61', 'Gagal', placesNone('balance')],
  ['62 66 83', 'Gagal', placesNone('busy')],
  // No transaction was made: there is no stock, or it costs more than max_price.
  ['68 69', 'Gagal', fails('OUT_OF_STOCK')],
  // Another buyer has ordered the same.
  ['47', 'Gagal', fails('DUPLICATE_ORDER')],
  ['51 52 54 57', 'Gagal', fails('INVALID_PLAYER_ID')],
  ['59', 'Gagal', fails('REGION_MISMATCH')],
  ['53 55 58 71', 'Gagal', fails('MAINTENANCE')],
  ['85', 'Gagal', fails('PURCHASE_LIMIT')],
  ['02 50 60 72 73 74 84 86', 'Gagal', fails('SUPPLIER_ERROR')],
]

/** What each response code means, and the status that it must come with. Any other code says nothing. */
export const codes: ReadonlyMap<string, { status: string; meaning: Meaning }> = new Map(
  table.flatMap(([codes, status, meaning]) => codes.split(' ').map((rc) => [rc, { status, meaning }])),
)

const refusalSchema = v.object({ data: v.object({ rc: v.pipe(v.string(), v.regex(/^\d{2}$/)) }) })

/** The refusal of a request that makes no transaction, by its code; undefined where the answer is none. */
export function refusalIn(exchange: Exchange): { ok: false; error: string } | undefined {
  const read = 'answer' in exchange ? readAnswer(refusalSchema, exchange.answer) : undefined
  return read?.ok ? { ok: false, error: `rc ${read.value.data.rc}` } : undefined
}
