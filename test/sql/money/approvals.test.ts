import postgres from 'postgres'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { operatorOf, refusals } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { database, sql: superuser, operator: anna, partner, newItem } = itemTests({ balance: 1000 })
const boris = operatorOf(database)

let account: number
let numbers = 0
beforeAll(() => superuser()`select ops.set_approval(1000, 'RUB')`)
beforeEach(async () => {
  numbers += 1
  account = Number(await oneValue(anna()`select ops.create_account(${`Partner ${numbers}`})`))
})

const reference = (name = 'r') => `${name} of ${numbers}`
const deposit = (amount: number, name = 'r', by = anna) =>
  oneValue<string | null>(by()`select ops.deposit(${account}, ${amount}, ${reference(name)})`)
const balance = () => oneValue<string>(anna()`select balance from ops.accounts where account_id = ${account}`)
const proposals = () => anna()`
  select proposal_id, what, amount, reference, state, proposed_by, decided_by from ops.proposals
  where account_id = ${account} order by proposal_id`
const openProposal = async () => Number((await proposals()).find(({ state }) => state === 'open')?.proposal_id)
const approve = (id: number, by = boris) => oneValue<string>(by()`select ops.approve(${id})`)

describe('a deposit above the approval limit', () => {
  test('is a proposal, and is booked once another login approves it', async () => {
    const notices = await anna.noticesOf(() => deposit(1000.01))
    expect(notices).toEqual([
      expect.stringMatching(
        /nothing is booked\. 1000\.01 RUB needs a second login, because it is above 1000\.00\. It is proposal \d+ now/,
      ),
    ])
    expect(await balance()).toBe('0.00')
    const [proposal] = await proposals()
    expect(proposal).toMatchObject({
      what: 'deposit',
      amount: '1000.01',
      state: 'open',
      proposed_by: anna.login,
      decided_by: null,
    })
    expect(await approve(Number(proposal?.proposal_id))).toBe('1000.01')
    expect(await proposals()).toMatchObject([{ state: 'approved', decided_by: boris.login }])
    expect(await oneValue(anna()`select count(*)::int from ops.audit_all()`)).toBe(0)
  })

  test('is not booked by the login that proposed it, whatever role it sets', async () => {
    expect(await deposit(5000)).toBe(null)
    const id = await openProposal()
    await expect(approve(id, anna)).rejects.toMatchObject({
      ...refusals.forbidden,
      message: `proposal ${id} is your own: another login has to approve it`,
    })
    await superuser().unsafe(`grant supply_finance, ${boris.login} to ${anna.login}`)
    try {
      for (const role of ['supply_finance', 'supply_operator', boris.login]) {
        const called = anna().begin(async (on) => {
          await on.unsafe(`set local role ${role}`)
          await on`select ops.approve(${id})`
        })
        await expect(called, role).rejects.toMatchObject(refusals.forbidden)
      }
      await anna().begin(async (on) => {
        await on.unsafe(`set local role ${boris.login}`)
        await on`select ops.deposit(${account}, 1000, ${reference('as boris')})`
      })
    } finally {
      await superuser().unsafe(`revoke supply_finance, ${boris.login} from ${anna.login}`)
    }
    expect(await balance()).toBe('0.00')
    expect((await proposals()).map(({ proposed_by }) => proposed_by)).toEqual([anna.login, anna.login])
  })

  test('is proposed once: a repeat changes nothing, and another amount under its reference is refused', async () => {
    await deposit(5000)
    expect(await anna.noticesOf(() => deposit(5000))).toEqual([
      expect.stringContaining('which waits for approval: nothing changed'),
    ])
    await expect(deposit(10)).rejects.toMatchObject(refusals.taken)
    await expect(deposit(10, 'r', boris)).rejects.toMatchObject({
      ...refusals.taken,
      message: expect.stringContaining(`${anna.login} proposed 5000.00 RUB (deposit) on 20`),
      hint: expect.stringContaining('ops.reject('),
    })
    expect(await proposals()).toHaveLength(1)
    await approve(await openProposal())
    expect(await deposit(5000)).toBe('5000.00')
  })

  test('can be rejected, by its own login too, and proposed again', async () => {
    await deposit(5000)
    await anna()`select ops.reject(${await openProposal()}, 'a mistake')`
    await deposit(4000)
    const id = await openProposal()
    await expect(boris()`select ops.reject(${id}, '')`).rejects.toMatchObject(refusals.wrongArgument)
    await boris()`select ops.reject(${id}, 'no such payment')`
    await expect(approve(id)).rejects.toMatchObject({
      ...refusals.wrongState,
      message: expect.stringContaining(`is rejected, by ${boris.login} on 20`),
    })
    expect((await proposals()).map(({ state }) => state)).toEqual(['rejected', 'rejected'])
    expect(await balance()).toBe('0.00')
  })

  test('expires after seven days, and its reference is free then', async () => {
    await deposit(5000)
    const id = await openProposal()
    await superuser()`update supply.proposals set proposed_at = now() - interval '7 days 1 s' where id = ${id}`
    expect((await proposals()).map(({ state }) => state)).toEqual(['expired'])
    await expect(approve(id)).rejects.toMatchObject({
      ...refusals.wrongState,
      message: expect.stringContaining('expired'),
    })
    expect(await deposit(900)).toBe('900.00')
  })

  test('is judged again at its approval, with the words of its proposal', async () => {
    const other = Number(await oneValue(anna()`select ops.create_account(${`Other ${numbers}`})`))
    await deposit(5000)
    const first = await openProposal()
    await expect(anna()`select ops.deposit(${other}, 5000, ${reference()})`).rejects.toThrow(
      'known_reference: 5000.00 RUB with the reference',
    )
    await anna()`select ops.set_account_active(${account}, false)`
    await expect(approve(first)).rejects.toMatchObject({
      message: expect.stringMatching(/^closed_account: /),
      hint: `Nothing changed. If these figures are right, end it with ops.reject(${first}, note), and propose it again with allow => '{closed_account}'.`,
    })
    expect((await proposals())[0]?.state).toBe('open')
    await anna()`select ops.reject(${first}, 'closed meanwhile')`
    await anna()`select ops.deposit(${account}, 5000, ${reference()}, allow => '{closed_account}')`
    expect(await approve(await openProposal())).toBe('5000.00')
  })

  test('is not booked twice by two logins at once', async () => {
    await deposit(5000)
    const id = await openProposal()
    const done = await Promise.allSettled([approve(id), oneValue(superuser()`select ops.approve(${id})`), approve(id)])
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await balance()).toBe('5000.00')
  })
})

describe('the sums of one login within 24 hours', () => {
  test('count deposits, adjustments either way and corrections of one account', async () => {
    expect(await deposit(400, 'a')).toBe('400.00')
    await anna()`select ops.adjust(${account}, -300, ${reference('b')}, 'x')`
    expect(await oneValue(anna()`select ops.correct_deposit(${account}, ${reference('a')}, 500, 'x')`)).toBe('200.00')
    expect(await anna.noticesOf(() => deposit(200.01, 'c'))).toEqual([
      expect.stringContaining('200.01 RUB together with 800.00 of yours within 24 hours needs a second login'),
    ])
    // The proposal counts, too.
    expect(await deposit(100, 'd')).toBe(null)
    expect(await deposit(1000, 'e', boris)).toBe('1200.00')
    await boris()`select ops.reject(proposal_id, 'x') from ops.proposals where account_id = ${account}`
    expect(await deposit(200, 'f')).toBe('1400.00')
  })

  test('count refunds', async () => {
    const item = await newItem()
    await anna()`select ops.settle_item(${item}, 'completed', reason => 'a test')`
    const id = partner().accountId
    await superuser()`select ops.set_approval(5, 'RUB')`
    try {
      await anna()`select ops.refund_item(${item}, 3, 'refund 1', 'x')`
      expect(await oneValue(anna()`select ops.refund_item(${item}, 3, 'refund 2', 'x')`)).toBe(null)
      expect(await oneValue(anna()`select ops.deposit(${id}, 2.5, 'after refunds')`)).toBe(null)
      const [proposal] =
        await anna()`select proposal_id, what, item_id from ops.proposals where account_id = ${id} order by 1`
      expect(proposal).toMatchObject({ what: 'refund_item', item_id: item })
      await approve(Number(proposal?.proposal_id))
      await expect(boris()`select ops.refund_item(${item}, 5, 'refund 3', 'x')`).rejects.toMatchObject(
        refusals.belowZero,
      )
    } finally {
      await superuser()`select ops.set_approval(1000, 'RUB')`
    }
  })

  test('do not count what is older, and what was booked before the approval was set', async () => {
    await deposit(1000, 'a')
    await superuser()`select ops.set_approval(null, 'RUB')`
    expect(await deposit(50000, 'b')).toBe('51000.00')
    await superuser()`select ops.set_approval(1000, 'RUB')`
    expect(await deposit(1000, 'c')).toBe('52000.00')
    expect(await deposit(0.01, 'd')).toBe(null)
    await superuser()`update supply.proposals set proposed_at = proposed_at - interval '25 hours' where account_id = ${account}`
    await superuser()`alter table supply.ledger disable trigger append_only`
    await superuser()`update supply.ledger set created_at = created_at - interval '25 hours' where account_id = ${account}`
    await superuser()`alter table supply.ledger enable trigger append_only`
    expect(await deposit(1000, 'e')).toBe('53000.00')
  })

  test('are kept by calls at once, and by one statement with many', async () => {
    const calls = Array.from({ length: 8 }, (_, n) => deposit(300, `p${n}`))
    const booked = (await Promise.all(calls)).filter((result) => result !== null)
    expect(booked).toHaveLength(3)
    const rows = await boris()`
      select ops.deposit(${account}, 300, ${reference('list')} || n) as balance from generate_series(1, 5) n`
    expect(rows.filter((row) => row.balance !== null)).toHaveLength(3)
    expect(await balance()).toBe('1800.00')
  })

  test('do not count for the login that approved', async () => {
    await deposit(5000)
    await approve(await openProposal())
    expect(await deposit(1000, 's', boris)).toBe('6000.00')
  })
})

test('ops.onboard makes the account and the key, and a proposal of the deposit', async () => {
  const name = `New ${numbers}`
  const [made] = await anna()`select * from ops.onboard(${name}, 5000, ${reference('onboard')})`
  expect(made?.key).toMatch(/^svc_live_/)
  expect(made?.tell_partner).toContain('with 0.00 RUB to spend')
  const [proposal] = await anna()`select proposal_id, what from ops.proposals where account_id = ${made?.account_id}`
  expect(proposal?.what).toBe('onboard')
  expect(await approve(Number(proposal?.proposal_id))).toBe('5000.00')
  const [row] = await anna()`select type, reference from ops.ledger where account_id = ${made?.account_id}`
  expect(row).toEqual({ type: 'deposit', reference: reference('onboard') })
})

test('only a login that may book may approve or reject', async () => {
  await deposit(5000)
  const id = await openProposal()
  await boris().begin(async (on) => {
    await superuser().unsafe(`grant supply_support to ${boris.login}`)
    await on`set local role supply_support`
    for (const call of [`ops.approve(${id})`, `ops.reject(${id}, 'x')`])
      await expect(
        on.savepoint((inner) => inner.unsafe(`select ${call}`)),
        call,
      ).rejects.toMatchObject({
        ...refusals.forbidden,
        message: `proposal ${id} needs a login that may call ops.deposit`,
      })
  })
  await superuser().unsafe(`revoke supply_support from ${boris.login}`)
})

test('only the owner sets the approval, and it says the amount before', async () => {
  await expect(anna()`select ops.set_approval(null, 'RUB')`).rejects.toMatchObject(refusals.forbidden)
  const said: string[] = []
  const owner = postgres(database.url, { max: 1, onnotice: ({ message }) => said.push(String(message)) })
  await owner`select ops.set_approval(70, 'SEK')`
  await owner`select ops.set_approval(80, 'SEK')`
  await owner`select ops.set_approval(80, 'SEK')`
  await owner`select ops.set_approval(null, 'SEK')`
  await owner.end()
  expect(said.map((text) => text.replace(/^.*: (?=\S+ \S* ?→)/, ''))).toEqual([
    'any amount → 70.00',
    '70.00 → 80.00',
    'the approval limit in SEK is 80 already: nothing changed',
    '80.00 → any amount',
  ])
  const logged =
    await anna()`select detail from ops.operator_log where action = 'set_approval' and subject = 'currency SEK' order by log_id`
  expect(logged.map(({ detail }) => detail)).toEqual([
    { amount: 70, before: null },
    { amount: 80, before: 70 },
    { amount: null, before: 80 },
  ])
})

test.each([
  [
    `create function pg_temp.trick() returns numeric language sql security definer as 'select ops.approve($id)';
    select pg_temp.trick()`,
  ],
  [`create function ops.trick() returns numeric language sql security definer as 'select ops.approve($id)'`],
  [`create table trick as select * from ops.proposals`],
  [`set session authorization $boris`],
  [`set role supply_owner`],
  [`do $$ begin perform ops.approve($id); end $$`],
  [`select core.post_once('deposit', $account, 5000, 'a trick')`],
  [`select core.post_entries('{}')`],
  [`update supply.proposals set proposed_by = $boris`],
  [`update ops.proposals set state = 'approved'`],
  [`insert into ops.ledger (account_id, amount) values ($account, 5000)`],
  [`insert into supply.money_rules values ('RUB', null, null, null)`],
  [`update ops.money_rules set approval_above = null`],
  [`select ops.set_approval(null, 'RUB')`],
  [`alter function ops.deposit(anycompatible, numeric, text, text, text[]) owner to current_user`],
  [`grant $boris to current_user`],
])('one login cannot book a proposal of its own by %s', async (trick) => {
  await deposit(5000)
  const filled = trick
    .replaceAll('$id', String(await openProposal()))
    .replaceAll('$account', String(account))
    .replaceAll('$boris', trick.includes('=') ? `'${boris.login}'` : boris.login)
  await expect(anna().unsafe(filled)).rejects.toMatchObject({
    code: expect.stringMatching(`${refusals.forbidden.code}|${refusals.wrongState.code}`),
  })
  expect(await balance()).toBe('0.00')
})

// A fixed sequence of pseudo-random numbers: a failure comes again.
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test.each([1, 2, 3])('no order of calls of one login books more than the limit for an account (%i)', async (seed) => {
  const below = numbersFrom(seed)
  const tried: string[] = []
  const money = () => (below(120_000) + 1) / 100
  const calls = [
    () => `ops.deposit(${account}, ${money()}, '${reference(`n${below(30)}`)}')`,
    () => `ops.adjust(${account}, ${money() - 600}, '${reference(`n${below(30)}`)}', 'x')`,
    () => `ops.correct_deposit(${account}, '${reference(`n${below(30)}`)}', ${money()}, 'x')`,
    () => `ops.approve(proposal_id) from ops.proposals where account_id = ${account} and state = 'open'`,
    () => `ops.reject(min(proposal_id), 'x') from ops.proposals where account_id = ${account} and state = 'open'`,
    () => `ops.set_approval(null, 'RUB')`,
    () => `ops.set_amount_limit('RUB', null)`,
    () => `ops.set_account_active(${account}, ${below(4) > 0})`,
  ]
  await deposit(100, 'first')
  for (let n = 0; n < 120; n += 1) {
    const call = calls[below(calls.length)]?.() ?? ''
    tried.push(call)
    await anna()
      .begin(async (on) => {
        if (below(3) === 0) await on`set local role supply_operator`
        await on.unsafe(`select ${call}`)
      })
      .catch((error: Error) => {
        if (!('code' in error) || error.code === 'XX000') throw error
      })
  }
  const [sum] = await anna()`
    select sum(abs(amount)) as booked, count(*)::int as rows from ops.ledger
    where account_id = ${account} and created_by = ${anna.login}`
  expect(sum?.rows, tried.join('\n')).toBeGreaterThan(1)
  expect(Number(sum?.booked), tried.join('\n')).toBeLessThanOrEqual(1000)
})
