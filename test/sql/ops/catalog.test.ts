import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase()
const sql = operatorOf(database)
const { noticesOf } = sql

const player = { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123' }
const server = { id: 'server', type: 'select', label: 'Server', required: true, options: ['EU', 'Asia'] }

beforeAll(async () => {
  await sql()`select ops.upsert_game('space-trader', 'Space Trader')`
  await sql()`select ops.upsert_supplier('first', 'https://first.example/api/', 'token-of-first')`
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:4000', 'token-of-second')`
})

type Product = Partial<typeof usual> & { fields?: unknown }

const usual = {
  game_slug: 'space-trader',
  name: '100 credits',
  price: '10.50',
  currency: 'RUB',
  delivery_type: 'id_only',
  region: null as string | null,
  amount_value: null as string | null,
  max_quantity: 100,
  in_stock: true as boolean | null,
}

async function upsertProduct(id: number | null, product: Product = {}): Promise<number> {
  const { fields, ...given } = { ...usual, fields: [player], ...product }
  return oneValue(sql()`
    select ops.upsert_product(${id}, ${given.game_slug}, ${given.name}, ${given.price}, ${given.currency},
      ${given.delivery_type}, ${sql().json(fields as never)}, ${given.region}, ${given.amount_value},
      ${given.max_quantity}, ${given.in_stock})`)
}

async function productOf(id: number) {
  const [row] = await sql()`select *, updated_at::text as version from ops.products where product_id = ${id}`
  return row ?? {}
}

test('a game is made once and then changed', async () => {
  const upsert = (name: string, url: string | null = null) =>
    oneValue(sql()`select ops.upsert_game('mecha-arena', ${name}, ${url})`)
  const game = async () =>
    (await sql()`select *, updated_at::text as version from ops.games where slug = 'mecha-arena'`)[0]
  const id = await upsert('Mecha Arena')
  const made = await game()
  const logged = await timesLogged(sql())
  expect(await upsert('Mecha Arena')).toBe(id)
  expect(await game()).toEqual(made)
  expect(await timesLogged(sql())).toBe(logged)
  const changed = { name: 'Mecha Arena 2', image_url: 'https://img.example/2.png' }
  await upsert(changed.name, changed.image_url)
  expect(await game()).toMatchObject({ ...changed, products: 0 })
  expect((await game())?.version).not.toBe(made?.version)
  expect(await lastLogged(sql())).toMatchObject({ action: 'upsert_game', subject: 'game mecha-arena' })
})

describe('a product', () => {
  test('with a null id is a new one each time, behind every id that was given', async () => {
    const first = await upsertProduct(null)
    expect(await upsertProduct(null)).toBe(first + 1)
    expect(await upsertProduct(500)).toBe(500)
    expect(await upsertProduct(null)).toBe(501)
    expect(await upsertProduct(400)).toBe(400)
    expect(await upsertProduct(null)).toBe(502)
    const ids = await Promise.all([upsertProduct(null), upsertProduct(510), upsertProduct(null)])
    expect(new Set(ids).size).toBe(3)
  })

  test('has every attribute as given, with the defaults of its fields', async () => {
    const id = await upsertProduct(null, {
      ...{ name: 'Gift key', price: '20', currency: 'USD', delivery_type: 'key', fields: [player, server] },
      ...{ region: 'EU', amount_value: '60', max_quantity: 3, in_stock: false },
    })
    expect(await productOf(id)).toMatchObject({
      ...{ game_slug: 'space-trader', name: 'Gift key', price: '20.00', currency: 'USD', delivery_type: 'key' },
      ...{ region: 'EU', amount_value: '60', max_quantity: 3, in_stock: false, available: false },
      delivery_fields: [player, { ...server, placeholder: null }],
    })
    expect(await lastLogged(sql())).toMatchObject({
      action: 'upsert_product',
      subject: `product ${id}`,
      detail: { price: 20, in_stock: false },
    })
  })

  test('has fields that by default are optional texts, labelled by their id', async () => {
    const id = await upsertProduct(null, { delivery_type: 'key', fields: [{ id: 'note' }] })
    const plain = { id: 'note', type: 'text', label: 'note', required: false, placeholder: null }
    expect((await productOf(id)).delivery_fields).toEqual([plain])
  })

  test('shows as changed only when it was changed', async () => {
    const id = await upsertProduct(null, { fields: [server] })
    const made = await productOf(id)
    const logged = await timesLogged(sql())
    await upsertProduct(id, { price: '10.5', fields: [{ ...server, placeholder: null }] })
    expect(await productOf(id)).toEqual(made)
    expect(await timesLogged(sql())).toBe(logged)
    await upsertProduct(id, { price: '10.51', fields: [server] })
    expect((await productOf(id)).version).not.toBe(made.version)
  })

  test.each<[string, Product]>([
    ['a third decimal', { price: '10.505' }],
    ['no price', { price: '0' }],
    ['a price that is no number', { price: 'NaN' }],
    ['a price beyond reason', { price: '100000000000.01' }],
    ['a currency that is none', { currency: 'Rub' }],
    ['an empty name', { name: '' }],
    ['an empty delivery type', { delivery_type: ' ' }],
    ['a blank region', { region: ' ' }],
    ['an amount below nothing', { amount_value: '-1' }],
    ['a limit of none', { max_quantity: 0 }],
    ['fields of an id_only product of which none is required', { fields: [{ ...player, required: false }] }],
    ['more keys than an answer can hold', { delivery_type: 'key', max_quantity: 10_001 }],
    ['a field that no order may name', { fields: [{ id: 'constructor' }] }],
    ['fields that are no array', { fields: { id: 'a' } }],
    ['fields with equal ids', { fields: [player, player] }],
    ['a field that is no object', { fields: ['gameUserId'] }],
    ['a field with a misspelt member', { fields: [{ ...player, placholder: 'x' }] }],
    ['a field without an id', { fields: [{ ...player, id: undefined }] }],
    ['a field with a number for an id', { fields: [{ ...player, id: 1 }] }],
    ['a field of another type', { fields: [{ ...player, type: 'date' }] }],
    ['a field without a label', { fields: [{ ...player, label: '' }] }],
    ['a field that may be required', { fields: [{ ...player, required: 'yes' }] }],
    ['a placeholder that is no text', { fields: [{ ...player, placeholder: 1 }] }],
    ['a text with options', { fields: [{ ...player, options: ['a'] }] }],
    ['a select without options', { fields: [{ ...server, options: undefined }] }],
    ['a select with no option', { fields: [{ ...server, options: [] }] }],
    ['a select with an empty option', { fields: [{ ...server, options: ['EU', ''] }] }],
    ['a select with a number for an option', { fields: [{ ...server, options: [1] }] }],
    ['a select with an option twice', { fields: [{ ...server, options: ['EU', 'EU'] }] }],
  ])('is refused with %s', async (_, product) => {
    await expect(upsertProduct(null, product)).rejects.toMatchObject(refusals.wrongArgument)
  })
})

describe('a product that exists', () => {
  /** Names no more than the attributes that every call must name. */
  const change = (id: number | null, price: number) =>
    oneValue<number>(sql()`select ops.upsert_product(${id}, 'space-trader', '100 credits', ${price}, 'RUB', 'id_only',
      allow => '{large_change,delivery_type}')`)
  const special = { region: 'EU', amount_value: '60', max_quantity: 3, in_stock: false }

  test('keeps the attributes that upsert_product does not name', async () => {
    const id = await upsertProduct(null, { ...special, fields: [player, server] })
    const made = await productOf(id)
    const notices = await noticesOf(() => change(id, 160))
    const { price, version, updated_at, ...rest } = await productOf(id)
    expect(price).toBe('160.00')
    expect(made).toMatchObject(rest)
    expect(notices).toEqual([`changed product ${id} (100 credits): price 10.50 → 160.00`])
  })

  test('loses its region and amount by an empty text and 0', async () => {
    const id = await upsertProduct(null, special)
    await upsertProduct(id, { ...special, region: '', amount_value: '0' })
    expect(await productOf(id)).toMatchObject({ region: null, amount_value: null, max_quantity: 3 })
  })

  test('asks for the player id when it is or becomes id_only without fields', async () => {
    const key = await upsertProduct(null, { delivery_type: 'key', fields: [] })
    for (const id of [await change(key, 12), await change(null, 12)]) {
      expect((await productOf(id)).delivery_fields).toEqual([{ ...player, placeholder: null }])
    }
  })

  test('asks for nothing when an operator gave an empty list of fields, also after a change', async () => {
    const id = await upsertProduct(null, { fields: [] })
    await change(id, 12)
    expect((await productOf(id)).delivery_fields).toEqual([])
  })

  test('goes off sale and back by set_in_stock', async () => {
    const id = await upsertProduct(null, { max_quantity: 3 })
    const set = (inStock: boolean) => noticesOf((sql) => sql`select ops.set_in_stock(${id}, ${inStock})`)
    expect(await set(false)).toEqual([`product ${id} (100 credits) is off sale now`])
    expect(await productOf(id)).toMatchObject({ in_stock: false, max_quantity: 3 })
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_in_stock', subject: `product ${id}` })
    expect(await set(false)).toEqual([`product ${id} (100 credits) is already off sale: nothing changed`])
    expect(await set(true)).toEqual([expect.stringContaining('when an active supplier offers it')])
    await sql()`select ops.upsert_offer(${id}, 'first', 'sku')`
    await set(false)
    expect(await set(true)).toEqual([`product ${id} (100 credits) is on sale now`])
  })
})

describe('a supplier', () => {
  test('is made active, is changed without being opened again, and its token is shown nowhere', async () => {
    await sql()`select ops.upsert_supplier('third', 'https://third.example/v1//', 'secret-3')`
    const read = async () => {
      const [row] = await sql()`select * from ops.suppliers where code = 'third'`
      return row ?? {}
    }
    const made = await read()
    expect(made).toMatchObject({
      ...{ base_url: 'https://third.example/v1', protocol: 'http', active: true, offers: 0, open_items: 0 },
    })
    await sql()`select ops.set_supplier_active('third', false)`
    const logged = await timesLogged(sql())
    const { updated_at } = await read()
    await sql()`select ops.upsert_supplier('third', 'https://third.example/v1', 'secret-3')`
    expect(await read()).toMatchObject({ active: false, updated_at })
    expect(await timesLogged(sql())).toBe(logged)
    await sql()`select ops.upsert_supplier('third', 'https://third.example/v1', 'secret-4', 'http')`
    expect(await oneValue(database.sql`select token from api.supplier_token('third')`)).toBe('secret-4')
    const shown = JSON.stringify([await sql()`select * from ops.operator_log`, await read()])
    expect(shown).not.toMatch(/secret-[34]/)
  })

  test('keeps what upsert_supplier does not name, and shows only setting names of its secrets', async () => {
    const shown = async () =>
      (
        await sql()`select protocol, token, push_secret, token_url, client_id, sync_every::text
        from ops.suppliers where code = 'fourth'`
      )[0]
    await sql()`select ops.upsert_supplier('fourth', 'https://fourth.example', 'env:SUPPLIER_SECRET_FOURTH', 'b2b', push_secret => 'secret-5',
      token_url => 'https://fourth.example/token', client_id => 'us')`
    const made = {
      ...{ protocol: 'b2b', token: 'env:SUPPLIER_SECRET_FOURTH', push_secret: null },
      ...{ token_url: 'https://fourth.example/token', client_id: 'us', sync_every: '00:15:00' },
    }
    expect(await shown()).toEqual(made)
    await sql()`select ops.upsert_supplier('fourth', 'https://fourth.example/v2', 'env:SUPPLIER_SECRET_FOURTH', push_secret => 'env:SUPPLIER_SECRET_PUSHES')`
    await sql()`select ops.upsert_supplier('fourth', 'https://fourth.example/v2', 'secret-6')`
    expect(await shown()).toEqual({ ...made, token: null, push_secret: 'env:SUPPLIER_SECRET_PUSHES' })
    await sql()`select ops.upsert_supplier('fourth', 'https://fourth.example', 'secret-6', 'http', '', '', '')`
    const cleared = { token_url: null, client_id: null, sync_every: null }
    expect(await shown()).toEqual({ protocol: 'http', token: null, push_secret: null, ...cleared })
    expect(JSON.stringify(await sql()`select * from ops.operator_log`)).not.toMatch(/secret-[56]/)
  })
})

describe('an offer', () => {
  let product: number
  beforeEach(async () => {
    product = await upsertProduct(null)
  })
  const offer = (supplier: string, sku: string, cost: string | null = null, priority: number | null = 100) =>
    sql()`select ops.upsert_offer(${product}, ${supplier}, ${sku}, ${cost}, ${priority})`

  test('that changes the availability of a product shows the product as changed', async () => {
    const setActive = (supplier: string, active: boolean) =>
      sql()`select ops.set_supplier_active(${supplier}, ${active})`
    const remove = (supplier: string) => sql()`select ops.remove_offer(${product}, ${supplier})`
    const steps: [() => Promise<unknown>, isAvailable: boolean, isChanged: boolean][] = [
      [() => offer('first', 'sku-1'), true, true],
      [() => offer('second', 'sku-2'), true, false],
      [() => setActive('first', false), true, false],
      [() => setActive('second', false), false, true],
      [() => setActive('second', false), false, false],
      [() => setActive('first', true), true, true],
      [() => remove('second'), true, false],
      [() => remove('first'), false, true],
    ]
    let before = await productOf(product)
    expect(before.available).toBe(false)
    for (const [index, [step, isAvailable, isChanged]] of steps.entries()) {
      await step()
      const now = await productOf(product)
      expect([index, now.available, now.version !== before.version]).toEqual([index, isAvailable, isChanged])
      before = now
    }
    await setActive('second', true)
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_supplier_active', subject: 'supplier second' })
  })
})

test.each([
  ['product', 'products', 'id', 'max(id)'],
  ['supplier', 'suppliers', 'code', 'max(code)'],
])('not even the owner deletes a %s or changes its key: items name it', async (_, table, key, one) => {
  await upsertProduct(null)
  const row = `${key} = (select ${one} from supply.${table})`
  for (const change of [`delete from supply.${table}`, `update supply.${table} set ${key} = ${key}`]) {
    await expect(database.sql.unsafe(`${change} where ${row}`)).rejects.toMatchObject({ code: '23001' })
  }
})
