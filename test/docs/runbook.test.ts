import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { operatorOf } from '../support/operator.ts'
import { loadDemoCatalog } from '../support/partner.ts'
import { comparable, Names, sectionsOfPages } from './runbook/page.ts'
import { asPsql } from './runbook/psql.ts'
import { scenes } from './runbook/scenes.ts'

// Every statement of the runbook, the upgrade and back-up and restore, run in order by a login that is a member of supply_operator alone.
const sections = sectionsOfPages()

test('each section with statements has a scene, and the reverse', () => {
  expect(sections.map(({ title }) => title).sort()).toEqual(Object.keys(scenes).sort())
})

describe.each(sections)('$title', ({ title, steps }) => {
  const database = testDatabase({ catalog: true })
  const operator = operatorOf(database)
  let names: Names

  beforeAll(async () => {
    names = new Names(await scenes[title]?.before?.(database.sql))
  })
  afterAll(async () => {
    expect(await database.sql`select * from ops.audit`).toEqual([])
  })

  test.each(steps.map((step, number) => ({ ...step, number })))('$sql', async ({ sql, expected, number }) => {
    const printed = await asPsql(operator(), names.put(sql))
    const shown = names.asShown(printed.replaceAll(operator.login, 'alice'), expected ?? '')
    expect(comparable(shown)).toBe(comparable(expected ?? ''))
    await scenes[title]?.after?.[number]?.(database.sql)
  })
})

// The page shows no output: each of its statements must run.
describe('the SQL of docs/operations/operators.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations/operators.md'), 'utf8')
  const statements = sectionsOfPages([page]).flatMap(({ steps }) =>
    steps.flatMap(({ sql }) => sql.split('\n')).map((line) => line.replace(/ *(?:\\gx|;)? *(?:--.*)?$/, '')),
  )
  const database = testDatabase()
  const operator = operatorOf(database)

  // `npm start` loads the demo catalog and makes the demo partner first: account 1, key 1.
  beforeAll(async () => {
    await loadDemoCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
    await database.sql`select ops.ensure_demo_key()`
  })

  test('is one statement a line', () => {
    expect(statements.length).toBeGreaterThan(3)
    expect(statements.filter((statement) => !statement.startsWith('select '))).toEqual([])
  })

  test.each(statements)('%s', async (statement) => {
    await operator().unsafe(statement)
  })
})
