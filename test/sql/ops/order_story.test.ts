import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sendAlerts } from '../../support/alerts.ts'
import { answered, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, processing, record, unknown } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { timePasses } from '../../support/sql/passing_time.ts'

const scene = itemTests({ name: 'Acme Games' })
const { sql, operator, partner, order: newOrder, read, eventsOf, attempt: attemptWith, push } = scene

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'the-suppliers-token')`
  await sql()`select ops.upsert_offer(${products.key}, 'second', 'sku', priority => 200)`
})

const passes = (interval: string) => timePasses(sql(), interval)
const reply = (item: string, result: object) => answer(sql(), item, result)
const attempt = (event: string, status: number) => attemptWith(event, answered(status))
const eventOf = async (code: string): Promise<string> => (await eventsOf(code))[0]?.id
const threeKeys = [{ productId: products.key, quantity: 3 }]

type Line = { at: Date; elapsed: string; actor: string; what: string; detail: string }

const storyOf = async (reference: string): Promise<Line[]> => [
  ...(await operator()<Line[]>`select * from ops.order_story(${reference})`),
]

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** A line for each of the story, with what is different each time replaced. */
function told(lines: Line[]): string[] {
  return lines.map(({ actor, what, detail }) =>
    [actor.replace(operator.login, 'alice'), what, detail]
      .join(' | ')
      .replaceAll(uuid, 'UUID')
      .replaceAll(/pay_[0-9a-f]{32}/g, 'PAYMENT')
      .replaceAll(/, after \d+ s:/g, ':')
      .replaceAll(/within \d\d:\d\d:\d\d/g, 'within TIME')
      .replaceAll(/\b(account|key) \d+\b/g, '$1 N'),
  )
}

/** Failover, a worker that died, a partial delivery, a settlement by hand, a dead letter, a redelivery. */
async function longStory() {
  const order = await newOrder({
    externalOrderId: 'acme-1042',
    requestId: 'acme-r-77',
    callbackUrl: 'https://shop.example/hooks?token=THE-CALLBACK-TOKEN',
    items: threeKeys,
  })
  const { code, item } = order
  await passes('300 milliseconds')
  await reply(item, failed({ errorCode: 'OUT_OF_STOCK', reason: 'sold out' }))
  await passes('200 milliseconds')
  await leaseCalls(sql(), [item])
  await passes('46 seconds')
  for (const wait of ['1 second', '2 seconds', '5 seconds']) {
    await reply(item, processing())
    await passes(wait)
  }
  await reply(item, unknown())
  await passes('10 seconds')
  await reply(item, completed({ codes: ['THE-FIRST-CODE', 'THE-SECOND-CODE'] }))
  await sendAlerts(sql())
  await passes('20 minutes')
  await operator()`
    select ops.settle_item(${item}, 'completed', array['THE-THIRD-CODE'], 'second sent the missing code by mail')`
  const event = await eventOf(code)
  await attempt(event, 503)
  await passes('1 minute')
  await leaseAttempt(sql(), event)
  await passes('31 seconds')
  await sql()`select work.begin_deliveries(array[${event}]::uuid[], 4194304)`
  await passes('5 minutes')
  await attempt(event, 404)
  await sendAlerts(sql())
  await passes('2 hours')
  await operator()`select ops.redeliver(${event})`
  await passes('100 milliseconds')
  await attempt(event, 200)
  const { paymentCode } = await read(code)
  return { ...order, event, paymentCode, lines: await storyOf(code) }
}

describe('the story of an order with a failover, a partial delivery, a crash, a dead letter and a redelivery', () => {
  let made: ReturnType<typeof longStory> | undefined
  const story = () => {
    made ??= longStory()
    return made
  }

  test('has a line for each step', async () => {
    const { lines } = await story()
    expect(told(lines)).toEqual([
      'partner | placed | 3 × Gift key at 20.00 RUB, as acme-1042; account N (Acme Games); the result goes to https://shop.example/hooks?…; key N from 192.0.2.0/24; request acme-r-77',
      'service | charged | 60.00 RUB with payment code PAYMENT; the balance is 940.00',
      'service | sent to first | item 1 (3 × Gift key): first cannot deliver it (OUT_OF_STOCK: sold out), so second gets it',
      'service | sent to second | item 1 (3 × Gift key): no answer was recorded, because the worker was lost; second may have received it',
      'service | asked second | item 1, 3 times within TIME: second is processing it',
      'service | asked second | item 1: no usable answer from second (timeout): the outcome is unknown',
      'service | asked second | item 1: second says completed with 2 codes for an amount of 3, which makes no sense: the item is held for an operator',
      'service | alert | operators are notified of item_held:second',
      'operator alice | settled by hand | item 1 as completed, 3 of 3 delivered: second sent the missing code by mail',
      'service | item completed | item 1: 3 × Gift key; codes delivered: 3',
      'service | order completed | everything was delivered',
      'service | event created | order.completed, event UUID, to https://shop.example/hooks?…',
      'service | webhook sent | round 1, attempt 1 of 9: the receiver answers 503; the next attempt comes after 00:01:00',
      'service | webhook sent | round 1, attempt 2 of 9: no result was recorded, because the worker was lost; the attempt counts; the next attempt comes after 00:05:00',
      'service | webhook sent | round 1, attempt 3 of 9: the receiver answers 404',
      'service | dead letter | the receiver refuses it permanently: only a redelivery sends it again',
      'service | alert | operators are notified of dead_letter:http_4xx:account N',
      'operator alice | redelivers | round 2 of nine attempts begins',
      'service | webhook sent | round 2, attempt 1 of 9: delivered, the receiver answers 200',
    ])
  })

  test('goes on in time, counted from the placing', async () => {
    const { lines } = await story()
    const times = lines.map(({ at }) => at.getTime())
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(lines[0]?.elapsed).toBe('00:00:00')
    expect(lines.at(-1)?.elapsed).toMatch(/^02:2\d:/)
  })

  test('is the same for every reference to the order', async () => {
    const { code, item, event, paymentCode, lines } = await story()
    await sql()`update supply.order_items set supplier_order_id = 'their-77' where id = ${item}`
    for (const reference of ['acme-1042', item, item.toUpperCase(), event, paymentCode, 'their-77', ` ${code}\n`])
      expect(await storyOf(reference), reference).toEqual(lines)
  })

  test('holds no code, no token and no query of the callback URL', async () => {
    expect(JSON.stringify((await story()).lines)).not.toMatch(/THE-|the-suppliers-token/)
  })

  test('is the one of docs/operations/operators.md, but for the times', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/operations/operators.md'), 'utf8')
    const block = page.match(/ops\.order_story\('acme-1042'\);\n[^\n]*\n[-+]+\n([^`]*)\(\d+ rows\)/)?.[1] ?? ''
    const rows: string[][] = []
    for (const line of block.trimEnd().split('\n')) {
      const cells = line.split('|').map((cell) => cell.trim())
      // A line without a time goes on with the detail of the one before it.
      if (cells[0] === '') rows.at(-1)?.push(cells[3] ?? '')
      else rows.push(cells)
    }
    const shown = rows.map(([, actor = '', what = '', ...detail]) => ({
      ...{ at: new Date(), elapsed: '', actor: actor.replace('alice', operator.login), what },
      detail: detail.join(' '),
    }))
    expect(told(shown)).toEqual(told((await story()).lines))
  })
})

test('a partial delivery shows the refund of its rest, and why it sends no event', async () => {
  const { code, items } = await newOrder({
    callbackUrl: 'https://shop.example/hooks',
    items: [{ productId: products.topUp, quantity: 2 }, ...threeKeys],
  })
  const [topUp = '', keys = ''] = items
  await reply(topUp, completed())
  await passes('1 second')
  await reply(keys, failed({ codes: ['A', 'B'], errorCode: 'PURCHASE_LIMIT', reason: 'limit reached' }))
  expect(told(await storyOf(code)).slice(2)).toEqual([
    'service | sent to first | item 1 (2 × 100 credits): first delivers it',
    'service | item completed | item 1: 2 × 100 credits',
    'service | sent to first | item 2 (3 × Gift key): first delivers 2 codes of 3 and fails the rest (PURCHASE_LIMIT: limit reached)',
    'service | item completed | item 2: 2 × Gift key; codes delivered: 2',
    'service | item failed | the rest of item 2: 1 × Gift key; the partner reads: Для этого игрового аккаунта превышен лимит покупок.',
    'service | order failed | a part was delivered',
    expect.stringMatching(/^service \| refunded \| 20.00 RUB for the rest of item 2; the balance is \d+\.\d\d$/),
    'service | no event | a partial result has no event: the partner reads it from the order',
  ])
})

test('the next step shows its time', async () => {
  const { code, item } = await newOrder({ callbackUrl: 'https://shop.example/hooks' })
  const last = async () => (await storyOf(code)).at(-1)
  expect(told([...(await storyOf(code))].slice(2))).toEqual(['service | now | item 1 is sent to first'])
  const [call] = await leaseCalls(sql(), [item])
  expect(told((await storyOf(code)).slice(2))).toEqual([
    'service | sent to first | item 1 (1 × 100 credits): the call is under way',
    'service | planned | without a result, first is asked again about item 1',
  ])
  if (call === undefined) throw new Error('no call')
  await record(sql(), call, unknown(60))
  expect(await last()).toMatchObject({ what: 'planned', detail: 'first is asked again about item 1' })
  expect(((await last())?.at.getTime() ?? 0) - Date.now()).toBeGreaterThan(30_000)
  await operator()`select ops.poll_now(${item})`
  expect(told((await storyOf(code)).slice(3))).toEqual([
    'operator alice | asks again | first is asked about item 1 at once',
    'service | now | first is asked again about item 1',
  ])
  await passes('5 minutes')
  expect((await last())?.detail).toMatch(/; it was due at .*: is a worker running\?$/)
  await passes('25 hours')
  await reply(item, processing())
  expect(told((await storyOf(code)).slice(-3))).toEqual([
    'service | asked first | item 1: first is processing it; the deadline has passed, so the item is stuck',
    'service | alert | operators are notified of item_stuck:first, as soon as a worker is free',
    `service | planned | first is asked again about item 1; it is stuck: ops.settle_item('UUID', …) settles it by hand`,
  ])
  await reply(item, completed())
  await attempt(await eventOf(code), 503)
  expect(told((await storyOf(code)).slice(-1))).toEqual(['service | planned | attempt 2 of 9'])
  await attempt(await eventOf(code), 404)
  expect(told((await storyOf(code)).slice(-1))).toEqual([
    `service | now | the partner did not receive the result: ops.redeliver('UUID') starts a new round`,
  ])
})

test('mass redeliveries, pushed results and contradicting results have lines, too', async () => {
  const { code, item } = await newOrder({ callbackUrl: 'https://shop.example/hooks' })
  await leaseCalls(sql(), [item])
  await push('first', item, completed())
  await push('first', item, completed())
  const event = await eventOf(code)
  await attempt(event, 410)
  await passes('1 minute')
  const since = new Date(Date.now() - 3_600_000)
  await operator()`select ops.redeliver_all(${partner().accountId}, ${since}, dry_run => false)`
  await attempt(event, 204)
  await push('first', item, { ...failed(), reason: 'code AAAA-BBBB-CCCC-DDDD was not for you' })
  await operator()`
    select ops.acknowledge(alert_id, 'they were mistaken') from ops.alerts where cause = 'contradicting_result:first'`
  expect(told(await storyOf(code)).slice(3)).toEqual([
    'supplier | push from first | item 1: first delivers it (pushed again 1 times)',
    'service | item completed | item 1: 1 × 100 credits',
    'service | order completed | everything was delivered',
    'service | event created | order.completed, event UUID, to https://shop.example/hooks',
    'service | webhook sent | round 1, attempt 1 of 9: the receiver answers 410',
    'service | dead letter | the receiver refuses it permanently: only a redelivery sends it again',
    'service | alert | operators are notified of dead_letter:http_4xx:account N, as soon as a worker is free',
    'operator alice | redelivers | round 2 of nine attempts begins',
    'service | webhook sent | round 2, attempt 1 of 9: delivered, the receiver answers 204',
    'supplier | push from first | item 1: first refuses it; this contradicts the recorded result and changes nothing',
    'service | alert | operators are notified of contradicting_result:first, as soon as a worker is free',
    'operator alice | acknowledged | contradicting_result:first: they were mistaken',
  ])
})

describe('a reference', () => {
  test('that no order has is refused, with what to give', async () => {
    for (const reference of ['nothing', '00000000-0000-4000-8000-000000000000', '', null])
      await expect(operator()`select * from ops.order_story(${reference})`).rejects.toMatchObject({
        ...refusals.unknown,
        hint: expect.stringContaining('ops.find('),
      })
  })

  test('of several orders is refused, with their codes', async () => {
    const other = await makePartner(sql(), { name: 'Other' })
    const mine = await newOrder({ externalOrderId: 'shared' })
    const { body } = await place(sql(), other, { externalOrderId: 'shared' })
    const refused = operator()`select * from ops.order_story('shared')`
    for (const [code, { accountId }] of [[mine.code, partner()] as const, [body.code, other] as const]) {
      await expect(refused).rejects.toMatchObject({
        ...{ ...refusals.several, message: "'shared' may be one of 2 orders" },
        hint: expect.stringContaining(`${code} (account ${accountId}, processing, placed `),
      })
    }
    expect((await storyOf(mine.code)).length).toBeGreaterThan(1)
  })
})
