import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makePartner } from '../../support/partner.ts'
import { type Answer, startApi } from '../../support/service.ts'
import { undone } from '../../support/sql/transactions.ts'

const { database, sql, api, partner, get } = httpTests({ each: true })
const soonMs = 12_000

const results = (query = '', of = api(), who = partner()): Promise<Answer> =>
  of.get(`/b2b/results${query}`, { key: who.key })

const open = (path: string): ClientRequest =>
  request({ host: '127.0.0.1', port: api().port, path, headers: { 'x-api-key': partner().key } }).end()

async function answerOf(sent: ClientRequest): Promise<string> {
  const [response] = await once(sent, 'response')
  return text(response)
}

async function endOrder(of = partner()): Promise<string> {
  const { body } = await place(sql(), of)
  await supplierAnswers(sql(), body.items[0]?.id ?? '', completed())
  return body.code
}

/** Resolves when an API has polled for requests that wait, after this call. */
async function untilPolled(): Promise<void> {
  const [{ now } = { now: null }] = await sql()`select clock_timestamp() as now`
  const polls = () => sql()`select from pg_stat_activity
    where datname = current_database() and query like '%api.accounts_with_results%' and query_start > ${now}`
  await expect.poll(polls, { timeout: soonMs, interval: 10 }).not.toHaveLength(0)
}

describe('GET /b2b/results', () => {
  test('gives the final orders after a number', async () => {
    const codes = [await endOrder(), await endOrder(), await endOrder()]
    const { status, headers, json } = await results('?after=1&limit=1')
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(json.data).toMatchObject({ nextAfter: 2, lastSeq: 3, hasMore: true })
    expect(json.data.results).toMatchObject([
      { seq: 2, orderCode: codes[1], status: 'completed', outcome: 'full', totalAmount: 10.5, refundedAmount: 0 },
    ])
    expect((await results()).json.data.results).toHaveLength(3)
  })

  test.each(['after=-1', 'after=x', 'wait=1.5'])('refuses %s', async (query) => {
    const { status, json } = await results(`?${query}`)
    expect([status, json.code, json.details[0].path]).toEqual([400, 'VALIDATION_ERROR', query.split('=')[0]])
  })

  test('shows no account the results of another', async () => {
    await endOrder()
    expect((await results('', api(), await makePartner(sql()))).json.data.results).toEqual([])
  })
})

describe('a waiting request', () => {
  test('gets the result when the order ends, and wakes no request of another account', async () => {
    const other = await makePartner(sql())
    const waiting = results('?wait=30')
    const others = results('?wait=1', api(), other)
    await untilPolled()
    const code = await endOrder()
    expect((await waiting).json.data).toMatchObject({ results: [{ seq: 1, orderCode: code }], nextAfter: 1 })
    expect((await others).json.data.results).toEqual([])
  })

  test('is answered at once if there are results, or if its number is too high', async () => {
    await endOrder()
    expect((await results('?wait=30')).json.data.results).toHaveLength(1)
    expect((await results('?after=9&wait=30')).json.data).toMatchObject({ results: [], nextAfter: 1, lastSeq: 1 })
  })

  test('holds no database connection', async () => {
    const many = await Promise.all([1, 2, 3, 4].map(() => makePartner(sql())))
    const waiting = many.flatMap((who) => [1, 2, 3, 4].map(() => results('?wait=30', api(), who)))
    await untilPolled()
    await expect.poll(() => api().db.usage().inUse, { timeout: soonMs }).toBe(0)
    expect((await get('/b2b/balance')).status).toBe(200)
    for (const who of many) await endOrder(who)
    for (const { json } of await Promise.all(waiting)) expect(json.data.results).toHaveLength(1)
  })

  test('is answered at once if ten of the account wait already', async () => {
    const ten = Array.from({ length: 10 }, () => open('/b2b/results?wait=30'))
    for (const sent of ten) sent.on('error', () => {})
    let eleventh = await comesToWait()
    while (eleventh !== 'answered') {
      eleventh.on('error', () => {}).destroy()
      eleventh = await comesToWait()
    }
    ten[0]?.destroy()
    let page = { results: [], lastSeq: 0 }
    while (page.results.length === 0) {
      const sent = await comesToWait(`&after=${page.lastSeq}`)
      if (sent !== 'answered') page = JSON.parse((await Promise.all([answerOf(sent), endOrder()]))[0]).data
    }
  })

  test('takes no place if its client hung up before', async () => {
    await undone(sql(), async (holder) => {
      await holder`lock table supply.api_keys in access exclusive mode`
      const ten = Array.from({ length: 10 }, () => open('/b2b/results?wait=30'))
      for (const sent of ten) sent.on('error', () => {})
      await expect.poll(() => api().db.usage().inUse, { timeout: soonMs, interval: 5 }).toBeGreaterThan(0)
      for (const sent of ten) sent.destroy()
      for (const _ of ten) await api().get('/livez')
    })
    const later = await comesToWait()
    expect(later).not.toBe('answered')
    if (later !== 'answered') later.on('error', () => {}).destroy()
  })

  test('whose key is revoked meanwhile is refused', async () => {
    const waiting = results('?wait=30')
    await untilPolled()
    const { body } = await place(sql(), partner())
    await sql()`select ops.revoke_key(${partner().keyId})`
    await supplierAnswers(sql(), body.items[0]?.id ?? '', completed())
    expect((await waiting).status).toBe(401)
  })

  test('is woken by an order that could get its number only later', async () => {
    await endOrder()
    const waiting = results('?after=1&wait=30')
    await untilPolled()
    const code = await undone(sql(), async (holder) => {
      await holder`select from supply.result_marks where account_id = ${partner().accountId} for update`
      return endOrder()
    })
    await sql()`select work.number_results()`
    expect((await waiting).json.data.results).toMatchObject([{ seq: 2, orderCode: code }])
    expect(await audit(sql())).toEqual([])
  })

  /** A request that is not answered for half a second waits. */
  async function comesToWait(query = ''): Promise<ClientRequest | 'answered'> {
    const sent = open(`/b2b/results?wait=30${query}`)
    return Promise.race([once(sent, 'response').then(() => 'answered' as const), pause(500, sent)])
  }
})

describe('an API that ends', () => {
  test('answers the partners that wait at once, and new ones while it still serves', async () => {
    const ending = await startApi(database.url, { config: { drainSeconds: 1 } })
    const waiting = results('?wait=30', ending)
    await untilPolled()
    const drained = ending.drain()
    const { status, headers, json } = await waiting
    expect([status, headers.connection, json.data.results]).toEqual([200, 'close', []])
    expect((await results('?wait=30', ending)).json.data.results).toEqual([])
    await drained
    await ending.close()
  })
})
