import { createHash } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver } from '../../../src/demo/receiver/receiver.ts'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, leaseAttempt, makeEvent } from '../../support/events.ts'
import { answer, completed } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, products } from '../../support/partner.ts'
import { startTestWorker } from '../../support/whole_service.ts'

const database = testDatabase()
/** What the server said to the operator beside its answers: `NOTICE key 1 …`. */
const said: string[] = []
let client: postgres.Sql
const sql = () => client

beforeAll(async () => {
  client = postgres(database.url, {
    max: 2,
    connection: { role: 'supply_operator' },
    onnotice: ({ severity, message }) => said.push(`${severity} ${message}`),
  })
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
})
afterAll(() => client.end({ timeout: 1 }))
beforeEach(() => said.splice(0))

async function admits(key: string): Promise<string> {
  const keyHash = createHash('sha256').update(key).digest('hex')
  const request = { ordinal: 1, client: '203.0.113.9', keyHash, origin: null, write: false, allowOrigin: false }
  const [row] = await database.sql`
    select verdict from api.admit(${database.sql.json([{ ...request, count: false }])}, 500)`
  return row?.verdict
}

describe('ops.onboard', () => {
  test('makes account, deposit and key, and a text for the partner without the key', async () => {
    const [made] = await sql()`select * from ops.onboard('Acme', 50000, 'invoice 1', label => 'shop')`
    expect(made?.key).toMatch(/^svc_live_[0-9a-f]{48}$/)
    expect(await admits(made?.key)).toBe('ok')
    expect(await sql()`select name, balance, mode from ops.accounts where account_id = ${made?.account_id}`).toEqual([
      { name: 'Acme', balance: '50000.00', mode: 'live' },
    ])
    expect(await sql()`select label, last4 from ops.api_keys where key_id = ${made?.key_id}`).toEqual([
      { label: 'shop', last4: made?.key.slice(-4) },
    ])
    expect(made?.tell_partner).toContain(`account is number ${made?.account_id}, with 50000.00 RUB`)
    expect(made?.tell_partner).not.toContain(made?.key)
    expect(made?.tell_partner).toContain('The service is at (the operator adds the address: PUBLIC_URL is not set)')
    expect(said).toContain(`NOTICE key ${made?.key_id} of account ${made?.account_id} (Acme)`)
  })

  test('tells the partner the address that the API has recorded', async () => {
    const address = async () => {
      const [made] = await sql()`select tell_partner from ops.onboard(${`P ${Math.random()}`}, 1, 'invoice')`
      return made?.tell_partner.split('\n')[0]
    }
    await database.sql`select api.record_public_url('https://supply.example/')`
    expect(await address()).toBe('The service is at https://supply.example')
    await database.sql`select api.record_public_url('https://supply.example/v1')`
    expect(await address()).toBe('The service is at https://supply.example/v1')
    await database.sql`select api.record_public_url(null)`
    expect(await address()).toContain('the operator adds the address')
  })

  test('limits the key to networks and a time', async () => {
    const [made] = await sql()`
      select * from ops.onboard('Limited', 50, 'invoice 1', allowed_ips => '{198.51.100.0/24}', expires_at => '2100-01-01Z')`
    expect(await sql()`select allowed_ips, expires_at from ops.api_keys where key_id = ${made?.key_id}`).toEqual([
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
    const [first] = await sql()`select ops.create_account('Stepwise') as id`
    expect(said).toEqual([`NOTICE account ${first?.id} (Stepwise) is made: supply, live, in RUB`])
    await sql()`select ops.create_account('stepwise')`
    expect(said[1]).toBe(`WARNING account ${first?.id} has this name, too`)
  })
})

test('a rotated key gives its label to its replacement, and notices name both keys', async () => {
  const { accountId } = await makePartner(database.sql)
  await sql()`select ops.issue_key(${accountId}, label => ' till 7 ')`
  const [old] = await sql()`select key_id from ops.api_keys where account_id = ${accountId} and label = 'till 7'`
  expect(said).toEqual([`NOTICE key ${old?.key_id} of account ${accountId} (A partner)`])
  await sql()`select ops.rotate_key(${old?.key_id})`
  const [next] = await sql()`select key_id, label from ops.api_keys where rotated_from = ${old?.key_id}`
  expect(next?.label).toBe('till 7')
  expect(said[1]).toMatch(`NOTICE key ${next?.key_id} replaces key ${old?.key_id}, which works until 2`)
})

describe('a test event', () => {
  test('reaches the receiver of a live account signed, before its first order', async () => {
    const partner = await makePartner(database.sql)
    const secret = async () => {
      const [row] = await sql()`select ops.webhook_secret(${partner.accountId}) as secret`
      return row?.secret ?? undefined
    }
    expect(await secret()).toBeUndefined()
    const receiver = await startReceiver({ secret })
    const worker = await startTestWorker(database.url)
    try {
      const [row] = await sql()`
        select ops.send_test_event(${partner.accountId}, ${`${receiver.url}/hook?token=secret`}) as id`
      const { verified, event } = await receiver.waitFor(() => true, 60_000)
      expect({ verified, id: event?.event_id }).toEqual({ verified: true, id: row?.id })
      expect(await sql()`select event_type, simulated from ops.events where event_id = ${row?.id}`).toEqual([
        { event_type: 'order.completed', simulated: true },
      ])
      const logged = await sql()`select subject, detail from ops.operator_log where action = 'send_test_event'`
      const { host } = new URL(receiver.url)
      expect([...logged]).toEqual([{ subject: `event ${row?.id}`, detail: { account_id: partner.accountId, host } }])
    } finally {
      await worker.stop()
      await receiver.close()
    }
  })

  test('has the limits of samples, and the hint says when to ask again', async () => {
    const { accountId } = await makePartner(database.sql)
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
  /** An item of two codes that is held with one of them. */
  async function heldItem(): Promise<string> {
    const partner = await makePartner(database.sql)
    const { body } = await place(database.sql, partner, { items: [{ productId: products.key, quantity: 2 }] })
    const item = body.items[0]?.id ?? ''
    await answer(database.sql, item, completed({ codes: ['A'] }))
    return item
  }

  test.each([
    ['failed', 'supplier lost it', ['WARNING the partner will not see the reason']],
    [
      'failed',
      'Нет в наличии. See https://a.example/b for more.',
      ['WARNING of the reason the partner will see only: Нет в наличии.'],
    ],
    ['failed', 'Нет  в наличии', []],
    ['failed', null, []],
    ['completed', 'Код найден', ['WARNING the partner will not see the reason, for everything is delivered']],
  ] as [string, string | null, string[]][])(
    'whether the partner sees the reason: %s, %s',
    async (outcome, reason, warnings) => {
      const codes = outcome === 'completed' ? ['B'] : null
      await sql()`select ops.settle_item(${await heldItem()}, ${outcome}, ${codes}, ${reason})`
      expect(said.filter((line) => line.startsWith('WARNING'))).toEqual(warnings)
    },
  )

  test('what a dry run of a redelivery would do, and how to do it', async () => {
    const partner = await makePartner(database.sql)
    const event = await makeEvent(database.sql, partner)
    await finishAttempt(database.sql, await leaseAttempt(database.sql, event), answered(404))
    await sql()`select ops.redeliver_all(${partner.accountId}, now() - interval '1 hour')`
    expect(said).toEqual(['NOTICE dry run: 1 events; to send them add dry_run => false'])
    await sql()`select ops.redeliver_all(${partner.accountId}, now() - interval '1 hour', dry_run => false)`
    expect(said[1]).toBe(`NOTICE account ${partner.accountId}: 1 dead letters begin a new round now`)
    expect(await lastLogged(sql())).toMatchObject({ action: 'redeliver_all' })
  })
})
