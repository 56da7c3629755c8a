import { describe, expect, test } from 'vitest'
import { answered, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { lastLogged, refusals, timesLogged } from '../../support/operator.ts'
import { makePartner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { growOld } from '../../support/sql/passing_time.ts'

const scene = itemTests({ audited: true, name: 'Acme' })
const { sql: superuser, operator: sql, partner, order, newEvent, attempt, eventOf } = scene
const { noticesOf } = sql

/** An event of an order that named this address, after its first attempt was answered so. */
async function eventAt(callbackUrl: string, status: number | null): Promise<string> {
  const { code, item } = await order({ callbackUrl })
  await answer(superuser(), item, completed())
  const id = await oneValue<string>(superuser()`select event_id from ops.events where order_code = ${code}`)
  if (status !== null) await attempt(id, answered(status))
  return id
}

const codeOf = async (event: string) => String((await eventOf(event)).order_code)

describe('a redelivery to another address', () => {
  const address = 'https://own-host.example/collect'
  const refusal = {
    ...refusals.forbidden,
    message: expect.stringMatching(
      /^account \d+ \(Acme\) did not use the host own-host\.example in an order or a redelivery within 90 days/,
    ),
    hint: expect.stringMatching(/Ask the partner .*POST \/b2b\/events\/<event_id>\/redeliver/),
  }

  test('sends no code to a host that the partner never used, by any of the three functions', async () => {
    const event = await eventAt('https://shop.example/hooks', 410)
    const code = await codeOf(event)
    const logged = await timesLogged(sql())
    const { accountId } = partner()
    await expect(sql()`select ops.redeliver(${event}, ${address})`).rejects.toMatchObject(refusal)
    await expect(
      sql()`select ops.redeliver_all(${accountId}, '-infinity', dry_run => false, callback_url => ${address})`,
    ).rejects.toMatchObject(refusal)
    await expect(
      sql()`select ops.redeliver_orders(${[code]}, dry_run => false, callback_url => ${address})`,
    ).rejects.toMatchObject(refusal)
    expect(await eventOf(event)).toMatchObject({ state: 'dead', callback_url: 'https://shop.example/hooks' })
    expect(await timesLogged(sql())).toBe(logged)
  })

  test.each([
    'https://own-host.example\\@shop.example/hooks',
    'https://shop.example@own-host.example/hooks',
    'https://shop.example.own-host.example/hooks',
    'https://own-host.example/?x=https://shop.example/hooks',
  ])('is not deceived by %s', async (url) => {
    const event = await eventAt('https://shop.example/hooks', 410)
    await expect(sql()`select ops.redeliver(${event}, ${url})`).rejects.toMatchObject(refusals.forbidden)
  })

  test('takes a host of an order of the last 90 days, whatever its port and case, and not an older one', async () => {
    await eventAt('https://shop.example/hooks', 200)
    const event = await newEvent()
    await attempt(event, answered(404))
    await sql()`select ops.redeliver(${event}, 'https://SHOP.example:8443/new')`
    await attempt(event, answered(404))
    await growOld(superuser(), '91 days')
    await expect(sql()`select ops.redeliver(${event}, 'https://shop.example/hooks')`).rejects.toMatchObject(
      refusals.forbidden,
    )
  })

  test('takes a host that the partner gave in a redelivery of his own, and not that of another partner', async () => {
    const [first, second] = [await eventAt('https://shop.example/hooks', 410), await newEvent()]
    await attempt(second, answered(404))
    const { accountId, keyId } = partner()
    await superuser()`select api.redeliver_event(${accountId}, ${keyId}, ${first}, 'https://new.example/hooks')`
    await sql()`select ops.redeliver(${second}, 'https://new.example/hooks')`
    expect(await eventOf(second)).toMatchObject({ callback_url: 'https://new.example/hooks', round: 2 })
    const other = await newEvent(await makePartner(superuser(), { name: 'Other' }))
    await attempt(other, answered(404))
    await expect(sql()`select ops.redeliver(${other}, 'https://new.example/x')`).rejects.toMatchObject({
      message: expect.stringContaining('(Other) did not use the host new.example'),
    })
  })
})

test('a delivered event is sent again, and the notice says when it was accepted', async () => {
  const event = await eventAt('https://shop.example/hooks', 200)
  const [notice] = await noticesOf((on) => on`select ops.redeliver(${event})`)
  expect(notice).toMatch(/begins round 2: attempt 1 of 9 is due now; its receiver accepted it before, on \d{4}-/)
  expect(await eventOf(event)).toMatchObject({ state: 'waiting', round: 2, attempts: 0, delivered_at: null })
  expect(await lastLogged(sql())).toMatchObject({ detail: { delivered_at: expect.any(String) } })
})

describe('ops.redeliver_orders', () => {
  test('counts first, then sends delivered events and dead letters, and names the orders without either', async () => {
    const events = [
      await eventAt('https://shop.example/a', 200),
      await eventAt('https://shop.example/b', 410),
      await eventAt('https://shop.example/c', 500),
    ]
    const codes = [...(await Promise.all(events.map(codeOf))), (await order()).code]
    const redeliver = (options = '') =>
      noticesOf((on) => on.unsafe(`select ops.redeliver_orders('{${codes.join(',')}}'${options})`))
    const rest =
      `1 dead letters, 1 that were accepted before \\(\\d{4}-.* to \\d{4}-.*\\); still being delivered: ` +
      `${codes[2]} \\(waiting\\); without an event, as they are open, partial, or have no callbackUrl: ${codes[3]}`
    expect(await redeliver()).toEqual([
      expect.stringMatching(
        `^dry run: of 4 orders, the events of 2 would be sent again: ${rest}; to send them add dry_run => false$`,
      ),
    ])
    expect(await redeliver(`, false, 'https://shop.example/new'`)).toEqual([
      expect.stringMatching(
        `^of 4 orders, the events of 2 begin a new round now at https://shop.example/new: ${rest}$`,
      ),
    ])
    expect(await Promise.all(events.map(eventOf))).toMatchObject([
      { round: 2, callback_url: 'https://shop.example/new' },
      { round: 2, callback_url: 'https://shop.example/new' },
      { round: 1, callback_url: 'https://shop.example/c' },
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'redeliver_orders', detail: { events: 2, dead: 1 } })
  })

  test('refuses a list with a text that names no order, and an empty one', async () => {
    const { code } = await order()
    await expect(sql()`select ops.redeliver_orders(${[code, 'nothing']})`).rejects.toMatchObject(refusals.unknown)
    await expect(sql()`select ops.redeliver_orders('{}')`).rejects.toMatchObject(refusals.wrongArgument)
  })
})

describe('ops.deliver_all', () => {
  const isDue = async (event: string) => (await eventOf(event)).wait <= 0
  const due = (events: string[]) => Promise.all(events.map(isDue))
  const tick = () => superuser()`select work.fill_slots()`

  /** Three events of one host and one of another, each with a failed attempt behind it. */
  async function waiting(): Promise<string[]> {
    const urls = ['https://a.example/1', 'https://a.example:8443/2', 'https://a.example/3', 'https://b.example/x']
    const events: string[] = []
    for (const url of urls) events.push(await eventAt(url, 503))
    return events
  }

  test('tries one event of each host first, and says what it costs', async () => {
    const events = await waiting()
    await superuser()`update supply.events set attempts = 8 where id = ${events[2] ?? ''}`
    expect(await noticesOf((on) => on`select ops.deliver_all(${partner().accountId})`)).toEqual([
      `account ${partner().accountId}: of 4 waiting events, 2 are due now, one for each host: a.example, b.example; ` +
        'the others of a host follow once it accepts that one. Each attempt is one of the nine of its event; ' +
        'for 1 of them it is the last, and a failure makes a dead letter',
    ])
    expect(await due(events)).toEqual([true, false, false, true])
    await superuser()`update supply.events set attempts = 1 where id = ${events[2] ?? ''}`
  })

  test('lets the others of a host follow after its 2xx alone', async () => {
    const events = await waiting()
    const [first = '', second = '', third = '', other = ''] = events
    await sql()`select ops.deliver_all(${partner().accountId})`
    await tick()
    expect(await due(events)).toEqual([true, false, false, true])
    await attempt(first, answered(200))
    await attempt(other, answered(503))
    await tick()
    expect(await due([second, third, other])).toEqual([true, true, false])
    expect(await superuser()`select from supply.delivery_trials where account_id = ${partner().accountId}`).toEqual([])
  })

  test('leaves the others their times while the host still fails', async () => {
    const events = await waiting()
    const [first = '', second = '', third = ''] = events
    await sql()`select ops.deliver_all(${partner().accountId})`
    const leased = await leaseAttempt(superuser(), first)
    await tick()
    expect(await due([second, third])).toEqual([false, false])
    await superuser()`update supply.events set lease_expires_at = now() - interval '1 hour' where id = ${leased.event_id}`
    await tick()
    await tick()
    expect(await due([second, third])).toEqual([false, false])
    await attempt(first, answered(200))
    await tick()
    expect(await due([second, third])).toEqual([false, false])
  })
})
