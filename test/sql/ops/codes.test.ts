import { describe, expect, test } from 'vitest'
import { createSealing } from '../../../src/sealing/sealing.ts'
import { dataKeysOf } from '../../support/data_keys.ts'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const scene = itemTests({ name: 'Acme', audited: true })
const { sql: superuser, operator: sql, keys, read, attempt, itemOf, alertsOf } = scene

let counter = 0
/** A code that no other item has. */
const newCode = () => {
  counter += 1
  return `CODE-${counter}`
}

/** An item whose supplier delivered these codes for an amount of `amount`. */
async function itemWith(codes: string[], amount = codes.length, callbackUrl: string | null = null) {
  const made = await keys(amount, callbackUrl)
  await answer(superuser(), made.item, completed({ codes }))
  return made
}

const codesOf = async (code: string) => (await read(code)).items[0].cdKeys?.map((key: { code: string }) => key.code)
const bodyOf = (code: string) =>
  oneValue<string>(superuser()`select body from supply.events where order_code = ${code}`)

describe('ops.find_code', () => {
  test('names the order, the item, the partner and the supplier of a code', async () => {
    const code = newCode()
    const made = await itemWith([code])
    expect(await sql()`select * from ops.find_code(${` ${code} `})`).toMatchObject([
      { order_code: made.code, item_id: made.item, partner: 'Acme', supplier: 'first', delivered_at: expect.any(Date) },
    ])
    expect(await sql()`select * from ops.find_code('NOTHING')`).toEqual([])
  })
})

test('ops.shared_codes shows the items that share a code, and not the code', async () => {
  const [shared, other] = [newCode(), newCode()]
  const items = [await itemWith([shared]), await itemWith([shared, other])]
  const rows = await sql()`select * from ops.shared_codes where item_id = any (${items.map(({ item }) => item)})`
  expect(new Set(rows.map(({ order_code }) => order_code))).toEqual(new Set(items.map(({ code }) => code)))
  expect(new Set(rows.map(({ group_id }) => group_id)).size).toBe(1)
  expect(JSON.stringify(rows)).not.toContain(shared)
})

describe('ops.settle_item', () => {
  test.each(['completed', 'failed'])('needs a reason for %s', async (outcome) => {
    const { item } = await itemWith([newCode()], 2)
    for (const reason of [null, ' '])
      await expect(sql()`select ops.settle_item(${item}, ${outcome}, '{X}', ${reason})`).rejects.toMatchObject({
        ...{ ...refusals.wrongArgument, message: 'reason must say how you know that this is the outcome' },
      })
  })

  test('refuses a reason with one of the codes in it, which the log would keep', async () => {
    const code = newCode()
    const { item } = await itemWith([], 1)
    for (const typed of [
      { codes: [code], cards: null },
      { codes: null, cards: [{ code, pin: '1234' }] },
    ])
      await expect(
        sql()`select ops.settle_item(${item}, 'completed', ${typed.codes}, ${`mail said ${code}`}, ${sql().json(typed.cards)})`,
      ).rejects.toThrow('reason must not have a code in it')
  })

  test('never delivers a code that another item has, and says whose it is', async () => {
    const code = newCode()
    const owner = await itemWith([code])
    const held = await itemWith([newCode()], 3)
    await expect(
      sql()`select ops.settle_item(${held.item}, 'completed', ${[newCode(), code]}, 'by mail')`,
    ).rejects.toMatchObject({
      ...refusals.wrongState,
      message:
        `code 3 of the 3 is a code of item ${owner.item} of order ${owner.code} ` +
        `(account ${scene.partner().accountId}, Acme): it is not delivered again`,
    })
    expect((await itemOf(held.item)).completed_at).toBeNull()
    await sql()`select ops.settle_item(${held.item}, 'completed', ${[newCode(), newCode()]}, 'by mail')`
  })
})

test('two operators at once do not give one code to two items', async () => {
  const [one, two] = [await itemWith([newCode()], 2), await itemWith([newCode()], 2)]
  const code = newCode()
  const done = await Promise.allSettled(
    [one, two].map(({ item }) => sql()`select ops.settle_item(${item}, 'completed', ${[code]}, 'by mail')`),
  )
  expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await sql()`select count(*)::int from ops.find_code(${code})`).toEqual([{ count: 1 }])
})

describe('ops.replace_code', () => {
  test('gives the partner the new code, also in later deliveries, and keeps both', async () => {
    const [old, fresh] = [newCode(), newCode()]
    const { code, item } = await itemWith([old, newCode()], 2, 'https://shop.example/hooks')
    const [event] = await scene.eventsOf(code)
    await attempt(event?.id, answered(200))
    const body = await bodyOf(code)
    const said = await sql.noticesOf((on) => on`select ops.replace_code(${code}, ${old}, ${fresh}, 'used already')`)
    expect(said.join()).toMatch(/the event was delivered with the old one on \d{4}-.*ops\.redeliver\('/)
    expect((await codesOf(code))[0]).toBe(fresh)
    expect(await bodyOf(code)).toBe(body.replace(`"${old}"`, `"${fresh}"`))
    expect(await bodyOf(code)).not.toBe(body)
    expect(await sql()`select item_id, replaced_at from ops.find_code(${old})`).toEqual([
      { item_id: item, replaced_at: expect.any(Date) },
    ])
    expect(await sql()`select item_id, replaced_at from ops.find_code(${fresh})`).toEqual([
      { item_id: item, replaced_at: null },
    ])
    const logged = JSON.stringify(await lastLogged(sql()))
    expect(logged).toContain('used already')
    for (const secret of [old, fresh]) expect(logged).not.toContain(secret)
  })

  test('refuses a new code that any item has or had, and an old one that the item has not', async () => {
    const [one, two, gone] = [newCode(), newCode(), newCode()]
    const first = await itemWith([one])
    const other = await itemWith([gone])
    await sql()`select ops.replace_code(${other.item}, ${gone}, ${two}, 'a test')`
    const replace = (old: string, fresh: string) =>
      sql()`select ops.replace_code(${first.item}, ${old}, ${fresh}, 'a test')`
    await expect(replace('NOT-HERE', newCode())).rejects.toMatchObject({
      ...{ ...refusals.wrongState, message: `item ${first.item} has no such code as the old one; its codes: 1` },
    })
    for (const taken of [one, two, gone])
      await expect(replace(one, taken)).rejects.toMatchObject({
        ...{
          ...refusals.wrongState,
          message: expect.stringMatching(/^the new code is refused: this code (is|was) a code of item /),
        },
      })
    await expect(sql()`select ops.replace_code(${first.item}, ${one}, ${newCode()}, ' ')`).rejects.toMatchObject(
      refusals.wrongArgument,
    )
    expect(await codesOf(first.code)).toEqual([one])
  })
})

describe('where codes are sealed', () => {
  const sealing = createSealing(dataKeysOf('k1'), 'fingerprint key')
  const seal = (item: string, codes: string[]) => codes.map((code) => sealing.sealCode(code, item))
  /** What a worker does with the codes that an operator typed. */
  async function workerSeals(item: string, meanwhile?: () => Promise<unknown>): Promise<void> {
    const [typed] = await superuser()`select version, codes from work.list_typed_codes(${item})`
    await meanwhile?.()
    await superuser()`select work.use_typed_codes(${item}, ${typed?.version}, ${seal(item, typed?.codes ?? [])})`
  }
  async function sealedItem(codes: string[], amount = codes.length) {
    const made = await keys(amount)
    await answer(superuser(), made.item, completed({ codes: seal(made.item, codes) }))
    return made
  }
  const withKeys = async (run: () => Promise<void>) => {
    await superuser()`insert into supply.data_keys (id, fingerprint_key, proof_hash) values ('k1', 'sealed', '')`
    await run().finally(() => superuser()`delete from supply.data_keys`)
  }

  test('ops.find_code says which program finds a code', () =>
    withKeys(async () => {
      await expect(sql()`select ops.find_code('X')`).rejects.toMatchObject({
        ...{ ...refusals.wrongState, hint: expect.stringContaining('npm run find-code -- <code>') },
      })
      const code = newCode()
      const { item } = await sealedItem([code])
      expect(await sql()`select item_id from ops.find_code(${sealing.sealCode(code, 'none')})`).toEqual([
        { item_id: item },
      ])
    }))

  test('a worker finds a code of another item before the order ends, and the item is held with an alert', () =>
    withKeys(async () => {
      const code = newCode()
      const owner = await sealedItem([code])
      const held = await sealedItem([newCode()], 2)
      await sql()`select ops.settle_item(${held.item}, 'completed', ${[code]}, 'by mail')`
      expect((await read(held.code)).status).toBe('processing')
      await workerSeals(held.item)
      expect((await read(held.code)).status).toBe('processing')
      expect((await itemOf(held.item)).held_reason).toContain(`a code of item ${owner.item} of order ${owner.code}`)
      await superuser()`select work.collect_alerts()`
      expect(await alertsOf(`codes_refused:item ${held.item}`)).toBe(1)

      await sql()`select ops.settle_item(${held.item}, 'completed', ${[newCode()]}, 'by mail')`
      await workerSeals(held.item)
      expect((await read(held.code)).status).toBe('completed')
      expect(await superuser()`select from supply.typed_codes`).toEqual([])
    }))

  test('codes that an operator corrects while a worker seals the first ones are delivered, and not the first', () =>
    withKeys(async () => {
      const [wrong, right] = [newCode(), newCode()]
      const { item, code } = await itemWith([], 1)
      const settle = (typed: string) => sql()`select ops.settle_item(${item}, 'completed', ${[typed]}, 'by mail')`
      await settle(wrong)
      await workerSeals(item, () => settle(right))
      expect((await itemOf(item)).completed_at).toBeNull()
      await workerSeals(item)
      expect(sealing.openShownCode((await codesOf(code))[0])).toBe(right)
    }))

  test('a worker replaces a code, and refuses one that another item has', () =>
    withKeys(async () => {
      const [old, taken, fresh] = [newCode(), newCode(), newCode()]
      await sealedItem([taken])
      const { item, code } = await sealedItem([old])
      const opened = async () => sealing.openShownCode((await codesOf(code))[0])
      await sql()`select ops.replace_code(${item}, ${old}, ${taken}, 'a test')`
      await workerSeals(item)
      expect(await opened()).toBe(old)
      await sql()`select ops.replace_code(${item}, ${old}, ${fresh}, 'a test')`
      await workerSeals(item)
      expect(await opened()).toBe(fresh)
    }))
})
