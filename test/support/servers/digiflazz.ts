import { createHash, createHmac } from 'node:crypto'
import type { StandInAnswer } from './supplier_stand_in.ts'

/** A transaction of the API, and what it answers about it: a response code that is not its own, and its status. */
type Transaction = { sku: string; customer: string; rc: string }

type Body = { [field: string]: unknown }

/** The logic of a Digiflazz that checks each request by the documents of the API. */
export function createDigiflazz() {
  const state = {
    username: 'supply',
    apiKey: 'key-of-nobody',
    secret: 'a-secret-of-events',
    /** The code that a new transaction gets, by reference; one that makes none refuses it. By default: under way. */
    codes: new Map<string, string>(),
    transactions: new Map<string, Transaction>(),
    /** How many transactions were made of a reference. */
    made: new Map<string, number>(),
    deposit: 990_000,
    products: new Map<string, Body>(),
    violations: [] as string[],
  }
  const signOf = (subject: unknown) =>
    createHash('md5').update(`${state.username}${state.apiKey}${subject}`).digest('hex')

  function transact(body: Body): StandInAnswer {
    const { ref_id: ref, buyer_sku_code: sku, customer_no: customer, max_price: max } = body
    const reference = String(ref)
    const say = (rc: string, price = 700) => ({
      status: 200,
      json: {
        data: {
          ...{ ref_id: ref, customer_no: customer, buyer_sku_code: sku, message: 'pesan', status: statusOf(rc), rc },
          ...{ sn: rc === '00' ? '0123/456' : '', price, buyer_last_saldo: state.deposit },
        },
      },
    })
    if (body.username !== state.username || body.sign !== signOf(ref)) return say('41')
    const isText = [ref, sku, customer].every((value) => typeof value === 'string' && value !== '')
    if (!isText || !Number.isSafeInteger(max)) state.violations.push(`a transaction is ${JSON.stringify(body)}`)
    const known = state.transactions.get(reference)
    if (known !== undefined) {
      return say(known.sku === sku && known.customer === customer ? known.rc : '49')
    }
    const rc = state.codes.get(reference) ?? '03'
    if (withoutTransaction.has(rc)) return say(rc)
    state.transactions.set(reference, { sku: String(sku), customer: String(customer), rc })
    state.made.set(reference, (state.made.get(reference) ?? 0) + 1)
    return say(rc)
  }

  function answer({ method, path, body }: { method: string; path: string; body: unknown }): StandInAnswer {
    const given = (body ?? {}) as Body
    if (method !== 'POST') state.violations.push(`${method} ${path}`)
    if (path.endsWith('/transaction')) return transact(given)
    const isOurs = (subject: string) => given.username === state.username && given.sign === signOf(subject)
    const refuse = (rc: string) => ({ status: 200, json: { data: { rc, status: 'Gagal', message: 'pesan' } } })
    if (path.endsWith('/cek-saldo')) {
      if (given.cmd !== 'deposit') state.violations.push(`${method} ${path} ${given.cmd}`)
      return isOurs('depo') ? { status: 200, json: { data: { deposit: state.deposit } } } : refuse('41')
    }
    if (!path.endsWith('/price-list') || given.cmd !== 'prepaid') state.violations.push(`${method} ${path}`)
    return isOurs('pricelist') ? { status: 200, json: { data: [...state.products.values()] } } : refuse('41')
  }

  return Object.assign(state, {
    answer,
    /** Has a transaction end, or refuse from now on, with this code. */
    setCode: (reference: string, rc: string) => {
      state.codes.set(reference, rc)
      const known = state.transactions.get(reference)
      if (known !== undefined) known.rc = rc
    },
    setProduct: (sku: string, changes: object) =>
      state.products.set(sku, {
        ...{ product_name: 'Diamonds', category: 'Games', brand: 'A GAME', type: 'Umum', seller_name: 'PT' },
        ...{ price: 700, buyer_sku_code: sku, buyer_product_status: true, seller_product_status: true },
        ...{ unlimited_stock: false, stock: 12, multi: true, start_cut_off: '0:0', end_cut_off: '0:0', desc: '-' },
        ...changes,
      }),
    event: (name: string, data: object) => {
      const rawBody = Buffer.from(JSON.stringify({ data }))
      const signature = `sha1=${createHmac('sha1', state.secret).update(rawBody).digest('hex')}`
      const headers = { 'x-hub-signature': signature, 'x-digiflazz-event': name }
      return { headers, rawBody, secret: state.secret, now: new Date() }
    },
  })
}

const withoutTransaction = new Set('40 41 42 43 44 45 47 49 61 62 63 66 67 68 69 80 81 82 83 87 88'.split(' '))

export function statusOf(rc: string): string {
  if (rc === '00') return 'Sukses'
  return rc === '03' || rc === '99' ? 'Pending' : 'Gagal'
}
