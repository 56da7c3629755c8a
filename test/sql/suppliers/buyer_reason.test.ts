import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, failed, processing } from '../../support/items.ts'

const { sql, keys, order, read, eventsOf, push } = itemTests()

async function reasonOf(reason: string | null, errorCode: string | null = null): Promise<string | null> {
  const [row] = await sql()`select core.buyer_reason(${errorCode}, ${reason}) as reason`
  return row?.reason
}

describe('a reason in plain Russian', () => {
  test.each([
    'Товар закончился',
    'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.',
    'Игрок 123456789 (сервер EU-West, зона 2041) не найден.',
    'Ключи для Cyberpunk 2077, Battlefield2042 и Counter-Strike: Global Offensive закончились!',
    'Оплачено 1 500,50 ₽ из 2.000,00 ₽; заказ № 17 от 04.03.2026 в 12:30:45, т. е. сегодня…',
    'Ошибка 1001: версия 1.2.3 игры «PUBG: Battlegrounds» не поддерживается и/или устарела?',
    'Кешбэк 10%+5%, акция «2=3» (PC/Xbox/PS5) — ключ: нет в наличии.',
    'Гравець не знайдений, ґанок та їжак.',
    'Ожидайте 👍🏽 пополнения',
  ])('stays as it is: %s', async (reason) => {
    expect(await reasonOf(reason, 'OUT_OF_STOCK')).toBe(reason)
  })

  test('has its white space folded', async () => {
    expect(await reasonOf(' \t Товар\r\n\r\nзакончился.\u2028Ждите\u00a0\u3000завтра \n')).toBe(
      'Товар закончился. Ждите завтра',
    )
  })

  test('loses invisible control characters', async () => {
    const steering = '\u0001\u0007\u001b\u007f\u0090\u00ad\u061c\u200b\u200e\u202e\u2066\u2069\u{feff}\u{e0041}'
    expect(await reasonOf([...'Нет товара'].join(steering))).toBe('Нет товара')
  })

  test('is cut to 300 characters, after a word', async () => {
    expect(await reasonOf('слово '.repeat(100))).toBe(`${'слово '.repeat(49).trim()}…`)
    expect(await reasonOf('я'.repeat(300))).toBe('я'.repeat(300))
    expect(await reasonOf(`${'я'.repeat(150)} ${'я'.repeat(150)}`)).toBe(`${'я'.repeat(150)}…`)
    expect(await reasonOf('👍я'.repeat(151))).toBe(`${'👍я'.repeat(149)}👍…`)
  })
})

describe('core.buyer_reason leaves out', () => {
  const tells = [
    ['a link', 'https://supplier.example/orders/17'],
    ['a link in full-width letters', 'ｈｔｔｐｓ：／／supplier．example'],
    ['a link that is broken up by what cannot be seen', 'https:\u200b//sup\u00adplier.exam\u2060ple'],
    ['another scheme', 'ftp://files'],
    ['a host', 'api.supplier.example:8443'],
    ['a host in capitals', 'SUPPLIER.EXAMPLE'],
    ['a Russian host', 'поставщик.рф'],
    ['a host with a Russian label', 'поставщик.com'],
    ['a host with another dot', 'supplier。example'],
    ['the machine itself', 'localhost:3000'],
    ['an IPv4 address', '10.0.0.3'],
    ['an IPv6 address', 'fe80::1ff:fe23:4567:890a'],
    ['a short IPv6 address', '::1'],
    ['an e-mail address', 'ivan@supplier.example'],
    ['an account of a messenger', '@supplier_help'],
    ['our API key', `svc_live_${'0123456789abcdef'.repeat(3)}`],
    ['the beginning of our API key', 'svc_test_0123'],
    ['a bearer token', 'Authorization: Bearer abc'],
    ['a basic credential', 'Basic dXNlcjpwYXNz'],
    ['a key of a product', 'ABCDE-FGHIJ-KLMNO'],
    ['a key of a product with digits', 'A1B2-C3D4-E5F6'],
    ['a key of a product in small letters', 'abcde-fghij-klmno'],
    ['a key of a product with long dashes', 'ABCDE–FGHIJ–KLMNO'],
    ['a key of a product with spaces', 'AB1DE FGHIJ KLMNO'],
    ['a key of a product, broken up', 'ABC\u200bDE-FGH\u0007IJ-KLM\u00adNO'],
    ['a card number', '4111 1111 1111 1111'],
    ['a gift code', 'X8FGH2J9KLM4'],
    ['a PIN of many digits', '1234567890123456'],
    ['hexadecimal digits', '0123456789abcdef'],
    ['a UUID', '66bf279c-9d58-4c4f-b6df-7a6ae9933285'],
    ['base64', 'c3VwcGxpZXItc2VjcmV0LXRva2Vu'],
    ['a JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['a long word', 'abcdefghijklmnopqrstuvwxyz'],
    ['a password', 'пароль: qwerty'],
    ['a named token', 'token=abc'],
    ['a key that is named so', 'ключ: «A1»'],
  ] as const

  test.each(tells)('%s, with its sentence; without another sentence the errorCode gives the text', async (_, found) => {
    const reason = `Товар недоступен. Подробно см. ${found} и ждите! Средства возвращены.`
    expect(await reasonOf(reason)).toBe('Товар недоступен. Средства возвращены.')
    expect(await reasonOf(`Ошибка (${found})`, 'PRODUCT_DISABLED')).toBe('Товар снят с продажи.')
    expect(await reasonOf(`Ошибка (${found})`)).toBeNull()
  })
})

describe('in orders and events', () => {
  const clean = 'Товар недоступен. Средства возвращены.'
  const hostile = `Товар\u202e недоступен.\r\nКлюч ABCDE-FGHIJ-KLMNO, https://supplier.example!\u0007 Средства возвращены.`

  test("a partner sees a supplier's reason cleaned in the order and the event", async () => {
    const { code, item } = await order({ callbackUrl: 'https://shop.example/hook' })
    await answer(sql(), item, failed({ errorCode: 'SUPPLIER_ERROR', reason: hostile }))
    expect(await read(code)).toMatchObject({ reason: clean, items: [{ errorMessage: clean }] })
    const [event] = await eventsOf(code)
    expect(JSON.parse(event?.body).data.reason).toBe(clean)
  })

  test('a partner sees a pushed reason cleaned, for the part of an item that failed', async () => {
    const { code, item } = await keys(2)
    await answer(sql(), item, processing())
    await push('first', item, failed({ codes: ['A'], reason: hostile }))
    expect(await read(code)).toMatchObject({ reason: clean, items: [{ errorMessage: null }, { errorMessage: clean }] })
  })

  test('an errorCode that looks like a key is not shown', async () => {
    const { code, item } = await order()
    await answer(sql(), item, failed({ errorCode: 'X8FGH2J9KLM4' }))
    expect(await read(code)).toMatchObject({ items: [{ errorCode: 'SUPPLIER_ERROR' }] })
    const plain = await order()
    const errorCode = 'PRODUCT_TEMPORARILY_UNAVAILABLE_IN_REGION_404'
    await answer(sql(), plain.item, failed({ errorCode }))
    expect(await read(plain.code)).toMatchObject({ items: [{ errorCode }] })
  })

  test("a partner sees an operator's reason cleaned, and the operators' views keep it whole", async () => {
    const { code, item } = await order()
    await sql()`update supply.order_items set stuck_at = now() where id = ${item}`
    await sql()`select ops.settle_item(${item}, 'failed', reason => ${hostile})`
    expect(await read(code)).toMatchObject({ reason: clean })
    const [attempt] = await sql()`select reason from ops.supplier_attempts where item_id = ${item}`
    expect(attempt?.reason).toBe(hostile)
  })
})
