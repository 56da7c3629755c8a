import { expect, test } from 'vitest'
import { type Card, cardText } from '../../../src/messages/cards.ts'
import { createSealing } from '../../../src/sealing/sealing.ts'
import { dataKeysOf } from '../../support/data_keys.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'

const { sql, operator, partner, keys: orderKeys, itemOf, alertsOf } = itemTests({ audited: true })
const sealing = createSealing(dataKeysOf('k1'), 'fingerprint key')
const url = 'https://1.1.1.1/hook'
const parts = { pin: '0042', serial: 'S "1"\n', url: 'https://x.example/?a=1&b="', expiresAt: '2027-02-28' }

/** The `cdKeys` of an order and of its event, as they stand in the JSON. */
async function bodiesOf(code: string): Promise<string[]> {
  const [order] = await sql()`select body::text from api.get_order(${partner().accountId}, ${code})`
  const [event] = await sql()`select body from supply.events where order_code = ${code}`
  return [order?.body, event?.body].map((body) => /"cdKeys" : (\[.*?\}\])/s.exec(body)?.[1] ?? body)
}

test('a code without parts has the same bytes as ever, and one with parts has those that were given', async () => {
  const { code, item } = await orderKeys(3, url)
  const cards = [{ code: 'A' }, { code: 'B', ...parts }, { code: 'C', expiresAt: '2027-12-31T10:00:00Z' }]
  expect(await answer(sql(), item, completed({ codes: cards.map(cardText) }))).toBe('settled')
  const bytes =
    '[{"code" : "A"}, {"code" : "B", "pin" : "0042", "serial" : "S \\"1\\"\\n", ' +
    '"url" : "https://x.example/?a=1&b=\\"", "expiresAt" : "2027-02-28"}, ' +
    '{"code" : "C", "expiresAt" : "2027-12-31T10:00:00Z"}]'
  expect(await bodiesOf(code)).toEqual([bytes, bytes])
})

test('sealed codes open to the same bytes as plain ones, with their parts', async () => {
  const { code, item } = await orderKeys(2, url)
  const cards = [{ code: 'S-1' }, { code: 'S-2', ...parts }]
  const codes = cards.map((card) => sealing.sealCode(cardText(card), item))
  expect(await answer(sql(), item, completed({ codes }))).toBe('settled')
  const bodies = await bodiesOf(code)
  expect(bodies.join()).not.toContain('0042')
  for (const body of bodies) {
    const opened = await sealing.openCodes(body)
    expect(JSON.parse(opened)).toEqual(cards)
    expect(opened).toMatch(/^\[\{"code" : "S-1"\}, \{"code" : "S-2", "pin" : "0042", /)
  }
})

test('codes are compared without their parts', async () => {
  const first = await orderKeys(2)
  const codes = [cardText({ code: 'SAME', pin: '1' }), cardText({ code: 'SAME', pin: '2' })]
  expect(await answer(sql(), first.item, completed({ codes }))).toBe('held')
  await sql()`select ops.settle_item(${first.item}, 'failed', '{}', 'Нет в наличии')`

  const [second, third] = [await orderKeys(1), await orderKeys(1)]
  const alerts = await alertsOf('sold_twice:first')
  await answer(sql(), second.item, completed({ codes: [cardText({ code: 'TWICE', pin: '1' })] }))
  await answer(sql(), third.item, completed({ codes: ['TWICE'] }))
  expect(await alertsOf('sold_twice:first')).toBe(alerts + 1)
})

test('an operator settles with cards, which SQL writes as workers do, and wrong ones are refused unquoted', async () => {
  const { code, item } = await orderKeys(3, url)
  await answer(sql(), item, completed({ codes: ['O-A'] }))
  const settle = (cards: unknown) =>
    operator()`select ops.settle_item(${item}, 'completed', ${['O-B']}, 'From the supplier', ${sql().json(cards as never)})`
  for (const wrong of [
    { pin: '0042' },
    { code: 'C', pin: '' },
    { code: 'C', pin: 42 },
    { code: 'C', pim: '0042' },
    { code: 'C', serial: 'x'.repeat(201) },
    { code: 'C', url: 'javascript:alert(1)' },
    { code: 'C', expiresAt: '2027-02-30' },
    { code: 'card:{}' },
  ]) {
    const refusal: Error = await settle([{ code: 'OK' }, wrong]).then(
      () => new Error('it was taken'),
      (error) => error,
    )
    expect(refusal.message).toMatch(/^cards\[1\]: /)
    expect(refusal.message).not.toContain('0042')
  }
  await expect(settle([{ code: 'O-B', pin: '1' }])).rejects.toThrow('each code may be given only once')
  const card = { code: 'C "ы" \u2028', ...parts }
  await settle([card])
  expect((await itemOf(item)).status).toBe('completed')
  const stored = await sql()`select code from supply.item_keys where item_id = ${item} order by position`
  expect(stored.map((row) => row.code)).toEqual(['O-A', 'O-B', cardText(card)])
  expect((await bodiesOf(code))[0]).toBe(`[{"code" : "O-A"}, {"code" : "O-B"}, ${cardText(card).slice(5)}]`)
})

test('both writers of cards write the same text', async () => {
  const texts = ['1', ' "\\/\b\f\n\r\t\u0001\u007f', 'é\u2028👍']
  const cards: Card[] = texts.flatMap((text) => [
    { code: text, pin: text },
    { code: text, serial: text, url: text },
    { code: text, expiresAt: text },
    { code: text },
  ])
  for (const { code, pin = null, serial = null, url = null, expiresAt = null } of cards) {
    const [row] = await sql()`select core.card_text(${code}, ${pin}, ${serial}, ${url}, ${expiresAt}) as text`
    expect(row?.text).toBe(
      cardText(JSON.parse(JSON.stringify({ code, pin, serial, url, expiresAt }, (_, v) => v ?? undefined))),
    )
  }
})
