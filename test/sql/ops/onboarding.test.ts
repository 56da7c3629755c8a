import type postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { startReceiver } from '../../../src/demo/receiver/receiver.ts'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, renewCodes } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { visit } from '../../support/sql/admission.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { startTestWorker } from '../../support/whole_service.ts'

const { database, sql: superuser, operator: sql, partner, keys, newEvent, attempt } = itemTests()
const { noticesOf } = sql

describe('ops.onboard', () => {
  test('makes account, deposit and key, and a text for the partner without the key', async () => {
    let made: postgres.Row | undefined
    const said = await noticesOf(async (on) => {
      made = (await on`select * from ops.onboard('Acme', 50000, 'invoice 1', label => 'shop')`)[0]
    })
    expect(made?.key).toMatch(/^svc_live_[0-9a-f]{48}$/)
    expect(await visit(superuser(), { key: made?.key })).toMatchObject({ verdict: 'ok' })
    expect(await sql()`select name, balance, mode from ops.accounts where account_id = ${made?.account_id}`).toEqual([
      { name: 'Acme', balance: '50000.00', mode: 'live' },
    ])
    expect(await sql()`select label, last4 from ops.api_keys where key_id = ${made?.key_id}`).toEqual([
      { label: 'shop', last4: made?.key.slice(-4) },
    ])
    expect(made?.tell_partner).toContain(`account is number ${made?.account_id}, with 50000.00 RUB`)
    expect(made?.tell_partner).not.toContain(made?.key)
    expect(made?.tell_partner).toContain('The service is at (the operator adds the address: PUBLIC_URL is not set)')
    expect(said).toContain(`key ${made?.key_id} of account ${made?.account_id} (Acme)`)
  })

  test.each([
    ['https://supply.example/', 'The service is at https://supply.example'],
    ['https://supply.example/v1', 'The service is at https://supply.example/v1'],
    [null, 'The service is at (the operator adds the address: PUBLIC_URL is not set)'],
  ])('tells the partner the address that the API has recorded: %s', async (address, told) => {
    await superuser()`select api.record_public_url(${address})`
    const text = await oneValue(
      sql()`select tell_partner from ops.onboard(${`At ${address}`}, 1, ${`invoice of ${address}`})`,
    )
    expect(text.split('\n')[0]).toBe(told)
  })

  test('limits the key to networks and a time', async () => {
    const id = await oneValue(sql()`
      select key_id from ops.onboard('Limited', 50, 'x', allowed_ips => '{198.51.100.0/24}', expires_at => '2100-01-01Z')`)
    expect(await sql()`select allowed_ips, expires_at from ops.api_keys where key_id = ${id}`).toEqual([
      { allowed_ips: ['198.51.100.0/24'], expires_at: new Date('2100-01-01Z') },
    ])
  })

  test('makes no account when the deposit is refused', async () => {
    await expect(sql()`select ops.onboard('Poor', 0, 'a')`).rejects.toMatchObject(refusals.wrongArgument)
    expect(await sql()`select from ops.accounts where name = 'Poor'`).toHaveLength(0)
  })

  test('makes one account of the same partner twice at the same moment', async () => {
    const both = await Promise.allSettled(
      [1, 2].map(() => sql()`select ops.onboard('At once', 10, 'a')`.then(() => 'made')),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('has a warning of its single steps for a name that is taken', async () => {
    const create = (name: string) => noticesOf((on) => on`select ops.create_account(${name})`)
    const made = await create('Stepwise')
    const id = await oneValue(sql()`select account_id from ops.accounts where name = 'Stepwise'`)
    expect(made).toEqual([`account ${id} (Stepwise) is created: supply, live, in RUB`])
    expect((await create('stepwise'))[0]).toBe(`WARNING account ${id} has this name, too`)
  })
})

describe('a test event', () => {
  test('reaches the receiver of a live account signed, before its first order', async () => {
    const { accountId } = partner()
    const secret = async () =>
      (await oneValue<string | null>(sql()`select ops.webhook_secret(${accountId})`)) ?? undefined
    expect(await secret()).toBeUndefined()
    const receiver = await startReceiver({ secret })
    const worker = await startTestWorker(database.url)
    try {
      const id = await oneValue(sql()`
        select ops.send_test_event(${accountId}, ${`${receiver.url}/hook?token=secret`})`)
      const { verified, event } = await receiver.waitFor(() => true, 60_000)
      expect({ verified, id: event?.event_id }).toEqual({ verified: true, id })
      expect(await sql()`select event_type, simulated from ops.events where event_id = ${id}`).toEqual([
        { event_type: 'order.completed', simulated: true },
      ])
      const { host } = new URL(receiver.url)
      expect(await sql()`select subject, detail from ops.operator_log where action = 'send_test_event'`).toEqual([
        { subject: `event ${id}`, detail: { account_id: accountId, host } },
      ])
    } finally {
      await worker.stop()
      await receiver.close()
    }
  })

  test('has the limits of samples, and the hint says when to ask again', async () => {
    const { accountId } = partner()
    const send = () => sql()`select ops.send_test_event(${accountId}, 'https://hooks.example/x')`
    for (let n = 0; n < 60; n += 1) await send()
    await expect(send()).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `account ${accountId} had 60 samples within a minute`,
      hint: expect.stringMatching(/^Try again in \d+ seconds/),
    })
  })
})

describe('an operator reads', () => {
  test.each<[string, string | null, string[]]>([
    ['failed', 'supplier lost it', ['WARNING the partner will not see the reason']],
    [
      'failed',
      'Нет в наличии. See https://a.example/b for more.',
      ['WARNING of the reason the partner will see only: Нет в наличии.'],
    ],
    ['failed', 'Нет  в наличии', []],
    ['completed', 'the code was found', []],
  ])('whether the partner sees the reason: %s, %s', async (outcome, reason, warnings) => {
    const { item } = await keys(2)
    await renewCodes(superuser())
    await answer(superuser(), item, completed({ codes: ['A'] }))
    const codes = outcome === 'completed' ? ['B'] : null
    const said = await noticesOf((on) => on`select ops.settle_item(${item}, ${outcome}, ${codes}, ${reason})`)
    expect(said.filter((line) => line.startsWith('WARNING'))).toEqual(warnings)
  })

  test('what a dry run of a redelivery would do, and how to do it', async () => {
    const { accountId } = partner()
    await attempt(await newEvent(), answered(404))
    const redeliverAll = (dryRun: string) =>
      noticesOf((on) => on.unsafe(`select ops.redeliver_all(${accountId}, now() - interval '1 hour'${dryRun})`))
    expect(await redeliverAll('')).toEqual(['dry run: 1 events; to send them add dry_run => false'])
    expect(await redeliverAll(', dry_run => false')).toEqual([
      `account ${accountId}: 1 dead letters begin a new round now`,
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'redeliver_all' })
  })
})
