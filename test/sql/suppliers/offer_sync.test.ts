import { beforeEach, describe, expect, test } from 'vitest'
import { closeAlerts } from '../../support/alerts.ts'
import { itemTests } from '../../support/item_tests.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, partner, alertsOf } = itemTests()
const product = products.topUp

type Sync = { supplier: string; lease_token: string; skus: string[] }
const begin = async (): Promise<Sync | undefined> => {
  const [row] = await sql()<Sync[]>`select * from work.begin_sync()`
  return row
}
async function begun(): Promise<Sync> {
  const sync = await begin()
  if (sync === undefined) throw new Error('nothing is due')
  return sync
}
async function recorded({ supplier, lease_token }: Sync, ...entries: object[]): Promise<boolean> {
  const [row] =
    await sql()`select work.record_list(${supplier}, ${lease_token}, ${sql().json(entries as never)}) as holds`
  return row?.holds
}
async function finished({ supplier, lease_token }: Sync, error: string | null = null): Promise<boolean> {
  const [row] = await sql()`select work.finish_sync(${supplier}, ${lease_token}, ${error}) as holds`
  return row?.holds
}
/** A whole reading of the list. */
async function sync(...entries: object[]) {
  await sql()`select ops.sync_supplier('lister')`
  const leased = await begun()
  expect([await recorded(leased, ...entries), await finished(leased)]).toEqual([true, true])
}
const listed = (cost: string, more: object = {}) => ({ sku: 's-101', cost, currency: 'RUB', stock: null, ...more })
async function offer() {
  const [row] = await sql()`select * from ops.offers where supplier = 'lister' and product_id = ${product}`
  return row ?? {}
}
async function supplier() {
  const [row] = await sql()`
    select *, round(extract(epoch from sync_due_at - now()) / 60)::int as due_in from ops.suppliers where code = 'lister'`
  return row ?? {}
}
async function timePasses(interval: string) {
  await sql()`
    update supply.suppliers set synced_at = synced_at - ${interval}::interval, sync_due_at = sync_due_at - ${interval}::interval`
  await sql()`
    update supply.supplier_syncs set leased_at = leased_at - ${interval}::interval,
      lease_expires_at = lease_expires_at - ${interval}::interval, failing_since = failing_since - ${interval}::interval`
}
const changes = async () => [
  ...(await sql()`select before, after from ops.offer_changes where product_id = ${product} order by change_id`),
]
async function shown(): Promise<{ inStock: boolean; isNew: boolean }> {
  const [row] = await sql()`
    select api.get_product(${partner().accountId}, ${product}) as body, updated_at > '2020-01-02' as is_new
    from supply.products where id = ${product}`
  await sql()`update supply.products set updated_at = '2020-01-01' where id = ${product}`
  return { inStock: row?.body.inStock, isNew: row?.is_new }
}

beforeEach(async () => {
  await sql()`truncate supply.offer_changes, supply.supplier_syncs`
  await sql()`delete from supply.offers where supplier <> 'first' or product_id = ${product}`
  await sql()`truncate supply.alerts, supply.occurrences`
  await sql()`select ops.upsert_supplier('lister', 'http://127.0.0.1:10', 'token', 'b2b')`
  await sql()`
    update supply.suppliers set active = true, sync_every = interval '15 minutes', sync_due_at = now(), synced_at = null, sync_error = null
    where code = 'lister'`
  await sql()`select ops.upsert_offer(${product}, 'lister', 's-101', 8)`
  await shown()
})

describe('an entry of a supplier’s list', () => {
  test('changes the cost, the stock and the availability of its offer, and ops.offer_changes shows that', async () => {
    await sync(listed('7.5', { stock: 3 }))
    expect(await offer()).toMatchObject({ cost: '7.50', currency: 'RUB', stock: 3, available: true })
    expect((await offer()).synced_at).not.toBeNull()
    expect(await changes()).toEqual([{ before: { cost: 8, stock: null }, after: { cost: 7.5, stock: 3 } }])
    await sync(listed('7.50', { stock: 3 }))
    expect(await changes()).toHaveLength(1)
    await sync(listed('7.50', { stock: 0 }))
    expect(await offer()).toMatchObject({ available: false, unusable: 'out of stock' })
    await sync({ sku: 's-101' })
    expect(await offer()).toMatchObject({
      ...{ cost: '7.50', stock: null, available: false, unusable: "not in the supplier's list" },
    })
    await sync(listed('7.50'))
    expect(await offer()).toMatchObject({ usable: true, unusable: null })
    expect((await changes()).at(-1)).toEqual({ before: { available: false }, after: { available: true } })
  })

  test('that is missing ends the orders for its offer, and its product shows as changed', async () => {
    expect(await shown()).toEqual({ inStock: true, isNew: false })
    await sync(listed('7.5'))
    expect(await shown()).toEqual({ inStock: true, isNew: false })
    await sync({ sku: 's-101' })
    expect(await shown()).toEqual({ inStock: false, isNew: true })
    expect((await place(sql(), partner())).result).toBe('PRODUCT_UNAVAILABLE')
    await sync({ sku: 's-101' })
    expect(await shown()).toEqual({ inStock: false, isNew: false })
    await sync(listed('7.5', { stock: 1 }))
    expect(await shown()).toEqual({ inStock: true, isNew: true })
    expect((await place(sql(), partner())).result).toBe('created')
  })

  test('changes no other offer', async () => {
    await sql()`select ops.upsert_offer(${product}, 'first', 's-101', 9)`
    await sql()`select ops.upsert_offer(${products.key}, 'lister', 's-102', 15)`
    await sync(listed('7.5'))
    const rows =
      await sql()`select supplier, cost from ops.offers where product_id in (${product}, ${products.key}) and cost is not null order by cost`
    expect([...rows]).toEqual([
      { supplier: 'lister', cost: '7.50' },
      { supplier: 'first', cost: '9.00' },
      { supplier: 'lister', cost: '15.00' },
    ])
  })

  test.each([
    ['7.001', '7.01'],
    ['7.0000000000000000000000001', '7.01'],
    ['7', '7.00'],
    ['0', '0.00'],
    ['99999999999.99', '99999999999.99'],
  ])('has its cost of %s rounded up to %s', async (cost, kept) => {
    await sync(listed(cost))
    expect(await offer()).toMatchObject({ cost: kept, available: true })
  })

  test.each([
    [{ cost: '-5' }, 'its cost is -5'],
    [{ cost: 'NaN' }, 'its cost is NaN'],
    [{ cost: 'Infinity' }, 'its cost is Infinity'],
    [{ cost: '1e3' }, 'its cost is 1e3'],
    [{ cost: '' }, 'its cost is '],
    [{ cost: null }, 'its cost is missing'],
    [{ cost: '99999999999.991' }, 'its cost is 99999999999.991'],
    [{ cost: '9'.repeat(50) }, `its cost is ${'9'.repeat(40)}`],
    [{ currency: 'rub' }, 'its currency is rub'],
    [{ currency: null }, 'its currency is missing'],
    [{ stock: -1 }, 'its stock is -1'],
    [{ stock: 1.5 }, 'its stock is 1.5'],
    [{ stock: 2_147_483_648 }, 'its stock is 2147483648'],
  ])('with a wrong value is not used, and ops.attention shows it: %j', async (said, problem) => {
    await sync(listed('7', said))
    expect(await offer()).toMatchObject({ cost: '8.00', available: false, unusable: problem })
    const told = await sql()`select subject, detail from ops.attention where what = 'offer cost'`
    expect([...told]).toEqual([
      { subject: 'supplier lister', detail: `product ${product}, 100 credits, is not ordered there: ${problem}` },
    ])
    await sync(listed('7'))
    expect(await offer()).toMatchObject({ cost: '7.00', available: true, unusable: null })
  })

  test('in another currency needs a rate, and does not change the currency of a max_cost', async () => {
    await sync(listed('7', { currency: 'EUR' }))
    expect(await offer()).toMatchObject({ currency: 'EUR', unusable: 'no rate from EUR to RUB' })
    await sync(listed('7'))
    await sql()`select ops.set_max_cost(${product}, 'lister', 8)`
    await sync(listed('7', { currency: 'EUR' }))
    expect(await offer()).toMatchObject({
      ...{ cost: '7.00', currency: 'RUB', unusable: 'its costs are in EUR now, and max_cost is in RUB' },
    })
    await sql()`select ops.set_max_cost(${product}, 'lister', null)`
    await sync(listed('7', { currency: 'EUR' }))
    expect(await offer()).toMatchObject({ currency: 'EUR', unusable: 'no rate from EUR to RUB' })
  })

  test('does not count for an offer with another sku', async () => {
    await sync({ sku: 's-101' })
    await sql()`select ops.upsert_offer(${product}, 'lister', 'other', 8)`
    expect(await offer()).toMatchObject({ available: true, stock: null, synced_at: null })
    await sync({ sku: 's-101' })
    expect(await offer()).toMatchObject({ available: true })
  })

  test('does not count after the readings of its supplier ended', async () => {
    await sync({ sku: 's-101' })
    await shown()
    await sql()`select ops.set_supplier_sync('lister', null)`
    expect(await offer()).toMatchObject({ available: true, unusable: null })
    expect(await shown()).toEqual({ inStock: true, isNew: true })
    await sync({ sku: 's-101' })
    expect(await supplier()).toMatchObject({ sync_due_at: null })
    await sql()`select ops.upsert_supplier('lister', 'http://127.0.0.1:10', 'token', 'http')`
    expect(await offer()).toMatchObject({ available: true })
  })
})

describe('the lease of a reading', () => {
  test('is given to one worker, with the skus to ask for', async () => {
    await sql()`select ops.upsert_offer(${products.key}, 'lister', 's-102')`
    expect(await begin()).toMatchObject({
      ...{ supplier: 'lister', protocol: 'b2b', base_url: 'http://127.0.0.1:10', skus: ['s-101', 's-102'] },
    })
    expect(await begin()).toBeUndefined()
  })

  test('is given again after its end, and the late list changes nothing', async () => {
    const late = await begun()
    await timePasses('11 minutes')
    expect(await recorded(late, listed('1'))).toBe(false)
    const next = await begun()
    expect(await recorded(late, listed('1'))).toBe(false)
    expect(await finished(late)).toBe(false)
    expect(await recorded(next, listed('2'))).toBe(true)
    expect(await finished(next)).toBe(true)
    expect(await finished(next)).toBe(false)
    expect(await offer()).toMatchObject({ cost: '2.00' })
  })

  test.each([
    ['closed', (sql) => sql`select ops.set_supplier_active('lister', false)`],
    ['moved', (sql) => sql`select ops.upsert_supplier('lister', 'http://127.0.0.1:11', 'token')`],
    ['another', (tx) => tx`select ops.upsert_supplier('lister', 'http://127.0.0.1:10', 'token', 'kinguin')`],
  ] satisfies [string, (tx: ReturnType<typeof sql>) => unknown][])(
    'is lost where the supplier is %s meanwhile',
    async (_, happens) => {
      const leased = await begun()
      await happens(sql())
      expect(await recorded(leased, listed('1'))).toBe(false)
      const costs = await sql()`select cost from supply.offers where supplier = 'lister'`
      expect(costs.every(({ cost }) => cost === '8.00')).toBe(true)
    },
  )

  test('is locked after its supplier, so that a change of the supplier and the end of a reading do not deadlock', async () => {
    await sync({ sku: 's-101' })
    await sql()`select ops.sync_supplier('lister')`
    const leased = await begun()
    const move = (holder: ReturnType<typeof sql>) =>
      holder`select ops.upsert_supplier('lister', 'http://127.0.0.1:10', 'token', 'http')`
    const ofSupplier = async (holder: ReturnType<typeof sql>) =>
      holder`select from supply.suppliers where code = 'lister' for no key update`
    let holding = sql()
    const ended = await whileHeld(
      sql(),
      async (holder) => {
        holding = holder
        await ofSupplier(holder)
      },
      () => finished(leased),
      async () => {
        await move(holding)
      },
    )
    expect(ended).toBe(false)
  })

  test('survives that its offers are removed meanwhile', async () => {
    const leased = await begun()
    await sql()`select ops.remove_offer(${product}, 'lister')`
    expect(await recorded(leased, listed('1'))).toBe(true)
    expect(await finished(leased)).toBe(true)
    expect(await changes()).toEqual([])
  })

  test('is given once more for a reading that was asked for during it', async () => {
    const leased = await begun()
    await sql()`select ops.sync_supplier('lister')`
    expect(await begin()).toBeUndefined()
    await finished(leased)
    expect(await begin()).toMatchObject({ supplier: 'lister' })
  })

  test('is not given for suppliers that list nothing or are not active', async () => {
    await sql()`update supply.suppliers set sync_due_at = now() where code = 'first'`
    await sql()`select ops.set_supplier_active('lister', false)`
    expect(await begin()).toBeUndefined()
    await expect(sql()`select ops.sync_supplier('lister')`).rejects.toMatchObject({
      ...refusals.wrongState,
      hint: "Open it with select ops.set_supplier_active('lister', true).",
    })
    await sql()`select ops.set_supplier_active('lister', true)`
    await sql()`select ops.sync_supplier('lister')`
    expect(await lastLogged(sql())).toMatchObject({ action: 'sync_supplier', subject: 'supplier lister' })
  })

  test('counts its requests with those of calls for the limit of requests a minute', async () => {
    await sql()`select ops.set_supplier_limits('lister', null, 30)`
    const [first] = await sql()`select work.take_request('lister') as ms`
    const [second] = await sql()`select work.take_request('lister') as ms`
    const [free] =
      await sql()`select extract(epoch from free_at - now()) between 3 and 4 as is_later from supply.supplier_places where supplier = 'lister'`
    expect([first?.ms, Number(second?.ms) > 1_000, free]).toEqual([0, true, { is_later: true }])
    expect([...(await sql()`select work.take_request('first') as ms`)]).toEqual([{ ms: 0 }])
  })
})

describe('the texts of a supplier’s list', () => {
  const texts = (description: string, locale = 'en') => ({ locale, description, redeem: 'In the game', terms: null })
  const withTexts = (description: string, locale?: string) => listed('7.5', { texts: texts(description, locale) })
  const written = async () => [
    ...(await sql()`
      select locale, description, redeem, terms, supplier from ops.product_texts
      where product_id = ${product} order by locale`),
  ]
  const skusForTexts = async () => {
    await sql()`select ops.sync_supplier('lister')`
    const [row] = await sql()`select skus_for_texts as skus from work.begin_sync()`
    await sql()`truncate supply.supplier_syncs`
    return row?.skus
  }
  beforeEach(() => sql()`delete from supply.product_texts`)

  test('fill a product without texts, follow its changes, and show as a change of the product', async () => {
    await sync(withTexts('Pearls'))
    expect(await written()).toEqual([{ ...texts('Pearls'), supplier: 'lister' }])
    expect((await shown()).isNew).toBe(true)
    await sync(withTexts('Pearls'))
    expect((await shown()).isNew).toBe(false)
    await sync(withTexts('More pearls'))
    await sync(listed('7.5'))
    expect(await written()).toEqual([{ ...texts('More pearls'), supplier: 'lister' }])
    expect((await shown()).isNew).toBe(true)
    expect(await skusForTexts()).toEqual(['s-101'])
  })

  test('never replace those of an operator, in any locale, nor those of another supplier', async () => {
    await sql()`select ops.set_product_text(${product}, 'ru', 'Жемчуг')`
    await sync(withTexts('Pearls'))
    expect(await written()).toMatchObject([{ locale: 'ru', supplier: null }])
    expect(await skusForTexts()).toEqual([])
    await sql()`update supply.product_texts set supplier = 'first'`
    await sync(withTexts('Pearls', 'ru'))
    expect(await written()).toMatchObject([{ locale: 'ru', description: 'Жемчуг', supplier: 'first' }])
  })

  test('become the operator’s as soon as one sets them, also to the same words', async () => {
    await sync(withTexts('Pearls'))
    await sql()`select ops.set_product_text(${product}, 'en', 'Pearls')`
    await sync(withTexts('Others'))
    expect(await written()).toEqual([{ ...texts('Pearls'), supplier: null }])
    await sql()`select ops.set_product_text(${product}, 'en', null)`
    await sync(withTexts('Others'))
    expect(await written()).toEqual([{ ...texts('Others'), supplier: 'lister' }])
  })
})

describe('a failed reading', () => {
  const fail = async () => {
    await sql()`update supply.suppliers set sync_due_at = now() where code = 'lister'`
    await finished(await begun(), 'HTTP 500')
  }

  test('keeps the offers, and is repeated after growing delays up to the interval', async () => {
    await sync(listed('7'))
    const waits: number[] = []
    for (let n = 0; n < 6; n += 1) {
      await fail()
      waits.push((await supplier()).due_in)
    }
    expect(waits).toEqual([1, 2, 5, 10, 15, 15])
    expect(await offer()).toMatchObject({ cost: '7.00', usable: true })
    expect(await supplier()).toMatchObject({ sync_error: 'HTTP 500' })
    await sync(listed('7'))
    expect(await supplier()).toMatchObject({ sync_error: null, due_in: 15 })
    await fail()
    expect(await supplier()).toMatchObject({ due_in: 1 })
  })

  test('is alerted four intervals after the last good one, until the next good one', async () => {
    await sync(listed('7'))
    await fail()
    await timePasses('59 minutes')
    await fail()
    expect(await alertsOf('supplier_sync:lister')).toBe(0)
    expect(await sql()`select from ops.attention where what = 'supplier not read'`).toHaveLength(0)
    await timePasses('2 minutes')
    await fail()
    await fail()
    expect(await alertsOf('supplier_sync:lister')).toBe(1)
    expect(await sql()`select from ops.attention where subject = 'supplier lister'`).toHaveLength(1)
    const told = await sql()`select subject, remedy from ops.attention where what = 'supplier not read'`
    expect([...told]).toEqual([
      { subject: 'supplier lister', remedy: "select * from ops.suppliers where code = 'lister'" },
    ])
    await closeAlerts(sql())
    const open = () => sql()`select from ops.alerts where cause = 'supplier_sync:lister' and closed_at is null`
    expect(await open()).toHaveLength(1)
    await sync(listed('7'))
    await closeAlerts(sql())
    expect(await open()).toHaveLength(0)
    expect(await sql()`select from ops.attention where what = 'supplier not read'`).toHaveLength(0)
  })

  test('is alerted, too, when there never was a good one', async () => {
    await fail()
    await timePasses('61 minutes')
    await fail()
    expect(await alertsOf('supplier_sync:lister')).toBe(1)
  })
})

test.each([
  [
    'changes its protocol',
    (lister: typeof sql) => lister()`select ops.upsert_supplier('lister', 'http://127.0.0.1:10', 'token', 'http')`,
  ],
  ['ends its readings', (lister: typeof sql) => lister()`select ops.set_supplier_sync('lister', null)`],
])(
  'an operator who %s waits for the end of a reading that is being recorded, and neither is refused',
  async (_, change) => {
    await begun()
    let recording = sql()
    await whileHeld(
      sql(),
      // The steps of work.finish_sync.
      (holder) => {
        recording = holder
        return holder`update supply.supplier_syncs set lease_token = null, lease_expires_at = null where supplier = 'lister'`
      },
      async () => await change(sql),
      async () => {
        await recording`update supply.suppliers set synced_at = now() where code = 'lister'`
      },
    )
    expect((await supplier()).sync_every).toBeNull()
  },
)
