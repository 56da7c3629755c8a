import { beforeAll, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, failed, leaseCalls } from '../../support/items.ts'
import { lastLogged, refusals, timesLogged } from '../../support/operator.ts'
import { makePartner, products } from '../../support/partner.ts'

const scene = itemTests({ name: 'Acme', audited: true })
const { sql: superuser, operator: sql, partner, order, newItem, itemOf, alertsOf, jobsOf } = scene
const { noticesOf } = sql

describe('ops.close_account', () => {
  test('closes an account with open orders, and returns what remains', async () => {
    const { item } = await order()
    const { accountId } = partner()
    const remains = { balance: '989.50', currency: 'RUB', keys: 1, open_orders: 1, in_orders: '10.50' }
    expect(await sql()`select * from ops.close_account(${accountId})`).toMatchObject([
      { account: String(accountId), partner: 'Acme', ...remains },
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'close_account', detail: { open_orders: 1, keys: 1 } })
    const logged = await timesLogged(sql())
    expect(await noticesOf((on) => on`select ops.close_account(${accountId})`)).toEqual([
      `account ${accountId} (Acme) is closed already: nothing changed. Balance: 989.50 RUB. Keys that get 401 now: 1. Open ` +
        'orders: 1 (10.50 RUB); they go on, their events are delivered, and a refund raises the alert closed_account',
    ])
    expect(await timesLogged(sql())).toBe(logged)

    await answer(superuser(), item, failed())
    await superuser()`select work.collect_alerts()`
    expect(await alertsOf(`closed_account:RUB:account ${accountId}`)).toBe(1)
    const [alert] = await sql()`select message from ops.alerts where account_id = ${accountId}`
    expect(alert?.message).toBe(`closed account ${accountId} (Acme) got a refund of 10.50 RUB: its balance is 1000.00`)
  })

  test('raises no alert of a refund to an open account', async () => {
    await answer(superuser(), await newItem(), failed())
    await superuser()`select work.collect_alerts()`
    expect(await alertsOf(`closed_account:RUB:account ${partner().accountId}`)).toBe(0)
  })
})

describe('ops.rename_account', () => {
  test('gives another name, and a repeat changes nothing', async () => {
    const { accountId } = partner()
    const rename = (name: string) => noticesOf((on) => on`select ops.rename_account(${accountId}, ${name})`)
    expect(await rename(' Apex Games ')).toEqual([`account ${accountId}: name Acme → Apex Games`])
    expect(await lastLogged(sql())).toMatchObject({ detail: { name: 'Apex Games', before: 'Acme' } })
    expect(await rename('Apex Games')).toEqual([
      `account ${accountId} has the name Apex Games already: nothing changed`,
    ])
  })

  test('refuses a name that another account has', async () => {
    const { accountId } = await makePartner(superuser(), { name: 'Taken' })
    await expect(sql()`select ops.rename_account(${partner().accountId}, 'taken')`).rejects.toMatchObject({
      ...{ ...refusals.taken, message: `account ${accountId} has the name 'taken' already` },
    })
    await expect(sql()`select ops.rename_account(${partner().accountId}, ' ')`).rejects.toMatchObject(
      refusals.wrongArgument,
    )
  })
})

describe('ops.reroute_all', () => {
  beforeAll(async () => {
    await superuser()`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
    await superuser()`select ops.upsert_offer(${products.topUp}, 'second', 'sku', priority => 200)`
  })

  test('moves what was certainly not sent to suppliers that can serve it, after a dry run', async () => {
    const [one, two, sent, only] = [
      ...[await newItem(), await newItem(), await newItem()],
      (await scene.keys(1)).item,
    ] as const
    await leaseCalls(superuser(), [sent])
    const reroute = (dryRun = '') => noticesOf((on) => on.unsafe(`select ops.reroute_all('first'${dryRun})`))
    const rest = '; 1 stay, as no other supplier can serve them; 1 that it may have stay there'
    expect(await reroute()).toEqual([
      `dry run: supplier first: 2 items would go to other suppliers (second 2)${rest}; to move them add dry_run => false`,
    ])
    expect((await itemOf(one)).supplier).toBe('first')
    expect(await reroute(', false')).toEqual([`supplier first: 2 items go to other suppliers (second 2)${rest}`])
    const suppliers = await Promise.all([one, two, sent, only].map(async (id) => (await itemOf(id)).supplier))
    expect(suppliers).toEqual(['second', 'second', 'first', 'first'])
    expect((await jobsOf(one)).filter(({ wait }) => wait <= 0)).not.toEqual([])
    expect(await lastLogged(sql())).toMatchObject({ action: 'reroute_all', detail: { items: 2, stay: 1, sent: 1 } })
  })
})
