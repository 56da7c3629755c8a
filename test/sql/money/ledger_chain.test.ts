import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, failed } from '../../support/items.ts'
import { orderRequest, placeAll } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { rechained } from '../../support/sql/passing_time.ts'
import { uncheckedUndone } from '../../support/sql/transactions.ts'

const { sql, operator, partner, order } = itemTests({ isolated: true })

/** What the audit of everything says about hashes. */
const broken = async (on = sql()) =>
  (await on`select detail from ops.audit_all() where check_name = 'ledger_follows_its_hashes'`).map(
    ({ detail }) => detail,
  )

const folder = mkdtempSync(join(tmpdir(), 'ledger-'))

/** An export of the ledger as docs/operations/operators.md makes it. */
async function exported(name: string, on = operator()): Promise<string> {
  const rows = await on`select account_id, seq, entry, hash from ops.ledger_chain order by account_id, seq`
  const cell = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`
  const path = join(folder, `${name}.csv`)
  const lines = rows.map((row) => [row.account_id, row.seq, row.entry, row.hash].map(cell).join(','))
  writeFileSync(path, ['account_id,seq,entry,hash', ...lines].join('\n'))
  return path
}

const program = join(import.meta.dirname, '../../../docs/operations/verify_ledger.py')
const verify = (...paths: string[]) => {
  const { status, stdout } = spawnSync('python3', [program, ...paths], { encoding: 'utf8' })
  return { status, lines: stdout.split('\n').filter((line) => line !== '') }
}
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Two accounts with several rows each, some of them written by one statement. */
beforeEach(async () => {
  const other = await makePartner(sql(), { balance: 500 })
  await placeAll(
    sql(),
    [partner(), other, partner(), other, partner()].map((of, place) => orderRequest(of, { ordinal: place + 1 })),
  )
  const { items } = await order({ items: [{ productId: products.key }, { productId: products.key }] })
  for (const item of items) await answer(sql(), item, failed())
  await operator()`select ops.adjust(${other.accountId}, -3, 'Ünï "code" 1', 'a note')`
})

test('the hashes follow one another, also where one statement writes several rows of an account', async () => {
  expect(await sql()`select account_id, count(*)::int as rows from supply.ledger group by 1 order by 1`).toMatchObject([
    { rows: 7 },
    { rows: 4 },
  ])
  expect(await broken()).toEqual([])
  expect(
    await sql()`select from supply.ledger where hash is distinct from core.entry_hash(
    (select p.hash from supply.ledger p where p.account_id = ledger.account_id and p.seq = ledger.seq - 1), ledger)`,
  ).toEqual([])
})

const changes = {
  amount: 'amount = amount + 1',
  balance: 'balance_after = balance_after + 1',
  note: `note = 'another'`,
  reference: `reference = 'another'`,
  time: `created_at = created_at - interval '1 ms'`,
  login: `created_by = 'somebody'`,
}

test.each(Object.entries(changes))('ops.audit_all names the row whose %s a superuser changed', async (_, change) => {
  const found = await uncheckedUndone(sql(), async (tx) => {
    await tx.unsafe(`update supply.ledger set ${change} where account_id = ${partner().accountId} and seq = 1`)
    return broken(tx as never)
  })
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(`ledger row 1 of account ${partner().accountId} is not the one that was booked on`)
})

test('ops.audit_all names the row after one whose hash was made again', async () => {
  const found = await uncheckedUndone(sql(), async (tx) => {
    const { accountId } = partner()
    await tx`update supply.ledger set note = 'x' where account_id = ${accountId} and seq = 2`
    await tx`update supply.ledger l set hash = core.entry_hash(
      (select p.hash from supply.ledger p where p.account_id = l.account_id and p.seq = 1), l)
      where l.account_id = ${accountId} and l.seq = 2`
    return broken(tx as never)
  })
  expect(found).toMatchObject([expect.stringContaining('ledger row 3 of account')])
})

test.skipIf(!hasPython)('an export is verified without the database, and compared with an earlier one', async () => {
  const before = await exported('before')
  await order()
  const after = await exported('after')
  expect(verify(before, after)).toEqual({ status: 0, lines: [] })

  const { accountId } = partner()
  const [changed, again] = await uncheckedUndone(sql(), async (tx) => {
    await tx`update supply.ledger set amount = amount - 1 where account_id = ${accountId} and seq = 3`
    const first = await exported('changed', tx as never)
    await rechained(tx)
    return [first, await exported('again', tx as never)]
  })
  expect(verify(changed)).toMatchObject({
    status: 1,
    lines: [expect.stringContaining(`account ${accountId}: row 3, or the row before it, was changed: [`)],
  })
  // Whoever makes all later hashes again is found by the earlier export alone.
  expect(verify(again).status).toBe(0)
  expect(verify(before, again).lines).toHaveLength(5)
})
