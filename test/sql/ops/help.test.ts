import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { operatorOf, refusals } from '../../support/operator.ts'

const database = testDatabase()
const sql = operatorOf(database)

type Line = { task: string; name: string; what: string }

const help = async (topic: string | null = null): Promise<Line[]> => [
  ...(await sql()<Line[]>`select * from ops.help(${topic})`),
]

/** How wide psql shows the rows: each column as wide as its longest line, and three characters between two. */
function widthOf(rows: Line[]): number {
  const columns = ['task', 'name', 'what'] as const
  const widths = columns.map((column) =>
    Math.max(column.length, ...rows.flatMap((row) => row[column].split('\n').map((line) => line.length))),
  )
  return widths.reduce((sum, width) => sum + width + 2, 0) + columns.length - 1
}

let objects: string[]
let tasks: string[]
beforeAll(async () => {
  const rows = await database.sql<{ name: string }[]>`
    select proname::text as name from pg_proc
    where pronamespace = 'ops'::regnamespace and has_function_privilege('supply_operator', oid, 'execute')
    union
    select relname::text from pg_class where relnamespace = 'ops'::regnamespace and relkind = 'v'`
  objects = rows.map(({ name }) => name)
  tasks = [...new Set((await help()).map(({ task }) => task))]
})

const bare = (name: string) => name.split(/[\s(]/)[0] ?? ''

describe('ops.help()', () => {
  test('has each function and view of the schema once', async () => {
    expect((await help()).map(({ name }) => bare(name)).sort()).toEqual([...objects].sort())
  })

  test('has each under a task of core.help_tasks', async () => {
    const missing = (await help()).filter(({ task }) => task === 'more')
    expect(missing.map(({ name }) => bare(name))).toEqual([])
    const entries = await database.sql<{ name: string }[]>`select unnest(names) as name from core.help_tasks`
    const ofTheOwner = entries.map(({ name }) => name).filter((name) => !objects.includes(name))
    const [owners] =
      await database.sql`select array_agg(distinct name) as names from ops.help('operators') where name <> 'how'`
    expect(owners?.names).toEqual(expect.arrayContaining(ofTheOwner))
  })

  test('fits 100 columns, with three lines or fewer for each', async () => {
    const rows = await help()
    expect(widthOf(rows)).toBeLessThanOrEqual(100)
    expect(rows.filter(({ what }) => what.split('\n').length > 3)).toEqual([])
    expect(rows[0]).toMatchObject({ task: 'help', name: 'help(…)' })
    expect(rows).toContainEqual({
      ...{ task: 'money', name: 'deposit(account_id, amount, reference,\n…)' },
      what: expect.stringContaining('balance'),
    })
  })

  test('has the steps of a task, and all functions and views of the task', async () => {
    for (const task of tasks) {
      const rows = await help(task)
      expect(widthOf(rows), task).toBeLessThanOrEqual(100)
      expect(rows[0], task).toMatchObject({ task, name: 'how' })
      const listed = (await help()).filter((row) => row.task === task).map(({ name }) => bare(name))
      expect(rows.slice(1).map(({ name }) => bare(name))).toEqual(listed)
    }
    const webhooks = await help(' Webhooks ')
    expect(webhooks[0]?.what).toContain('ops.redeliver')
    expect(webhooks.find(({ name }) => name === 'dead_letters')?.what).toContain('Columns: event_id, order_code')
  })

  test('breaks its lines at blanks alone, and no quoted value of a statement', async () => {
    const comments = await database.sql<{ name: string; comment: string }[]>`
      select name, regexp_replace(comment, '\\s+', ' ', 'g') as comment from core.help_objects`
    const joined = (text: string) => text.replaceAll(/\s+/g, ' ')
    for (const { name, what } of await help()) {
      const comment = comments.find((one) => one.name === bare(name))?.comment ?? ''
      expect(comment.replaceAll(/ \([^)]*\)/g, '').startsWith(joined(what)), name).toBe(true)
      expect(what, name).not.toMatch(/^As ops|\s$/)
    }
    const introductions = await database.sql`select task, introduction from core.help_tasks`
    for (const { task, introduction } of introductions) {
      const [how] = await help(task)
      expect(joined(how?.what ?? ''), task).toBe(joined(introduction))
      const statements = [...introduction.matchAll(/select .*;/g)].map(([statement]) => statement)
      for (const value of statements.flatMap((statement) => statement.match(/'[^']*'/g) ?? []))
        expect(how?.what, task).toContain(value)
    }
  })

  test('has the whole text of one function or view', async () => {
    // The longest, and one of each kind.
    for (const name of ['attention', 'import_products', 'onboard', 'poll_now', 'supplier_health']) {
      const rows = await help(`ops.${name}`)
      expect(rows, name).toHaveLength(1)
      expect(widthOf(rows), name).toBeLessThanOrEqual(100)
    }
    const [deposit] = await help('ops.deposit()')
    expect(deposit?.name).toBe('deposit')
    expect(deposit?.what.replace(/\s+/g, ' ')).toMatch(
      /^deposit\(account_id reference, amount numeric, reference text, currency text = NULL, allow .*\) → numeric Adds /,
    )
    const [create] = await help('create_account')
    expect(create?.what.replace(/\s+/g, ' ')).toContain(`mode text = 'live', currency text = 'RUB') → bigint`)
    expect((await help('ops.orders'))[0]?.what).toMatch(/\norder_code: \w/)
  })

  test('names its topics when it does not know the given one', async () => {
    await expect(help('hooks')).rejects.toMatchObject({
      ...refusals.unknown,
      message: `there is no help for 'hooks'`,
      hint: expect.stringContaining('partners, keys, money, months, orders, webhooks'),
    })
    await expect(help('Spending')).rejects.toMatchObject({
      hint: expect.stringMatching(
        /^These speak of it: .*set_spending_limit, spending_limits.*\. Its topics are help, /,
      ),
    })
  })
})
