import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataKeysOf } from '../support/data_keys.ts'
import { testDatabase } from '../support/database.ts'
import { hasPsql } from '../support/psql.ts'
import { testApi } from '../support/service.ts'
import { type RunningWorker, startTestWorker } from '../support/whole_service.ts'

if (!hasPsql) console.info('no psql 15 on this machine, hence not run: the first order of a new deployment')

const page = readFileSync(join(import.meta.dirname, '../../docs/operations/first-order.md'), 'utf8')
const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language, text = '']) => ({ language, text }))
const database = testDatabase()
const login = `anna_${process.pid}`
const config = { dataKeys: dataKeysOf('k1') }
const api = testApi(() => database.url, { config })
let worker: RunningWorker
let password = ''

beforeAll(async () => {
  worker = await startTestWorker(database.url, config)
})
afterAll(async () => {
  await worker?.stop()
  await database.sql.unsafe(`drop role if exists ${login}`)
})

const psql = (input: string) =>
  execFileSync(
    'psql',
    ['-X', '-q', '-v', 'ON_ERROR_STOP=1', Object.assign(new URL(database.url), { username: login, password }).href],
    { input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] },
  )

test.skipIf(!hasPsql)(
  'the page leads from an empty database to the first order, which is delivered and booked',
  async () => {
    expect(blocks.map(({ language }) => language)).toEqual(['sh', 'sh', 'sql', 'sql', 'sh', 'sql'])
    const [adding, connecting, catalog, partner, order, books] = blocks.map(({ text }) => text)
    expect(connecting).toBe('psql -h 127.0.0.1 -U anna supply\n')
    const add = adding?.replace('-h 127.0.0.1 -U supply_admin supply', '-X "$OWNER"').replace('anna', login)
    const added = execFileSync('sh', ['-ec', add ?? ''], {
      env: { ...process.env, OWNER: database.url },
      encoding: 'utf8',
    })
    password = /^ ([0-9a-f]{48})$/m.exec(added)?.[1] ?? ''
    expect(psql(catalog ?? '')).toMatch(/vault +\| gift-20 +\|/)
    const free = async () => (await database.sql`select free from ops.stock`).map((row) => Number(row.free))
    await expect.poll(free).toEqual([3])
    const key = /^key +\| (\S+)$/m.exec(psql(partner ?? ''))?.[1] ?? ''

    const env = { ...process.env, API_KEY: key, BASE_URL: api().url }
    // The API answers in this process, so nothing may block it.
    const { stdout: answers } = await promisify(execFile)('sh', ['-ec', order ?? ''], { env })
    expect(answers.match(/"status":"\w+"/g)?.at(-1)).toBe('"status":"completed"')
    const code = /"code":"(ord_\w+)"/.exec(answers)?.[1]
    expect((await api().get(`/b2b/orders/${code}`, { key })).json.data.items).toMatchObject([
      { price: 20, cdKeys: [{ code: 'AAAA-1111' }] },
    ])
    const shown = psql(books ?? '')
    expect(shown).toContain('order_charge')
    expect(shown.match(/^\(\d+ rows?\)$/gm)?.slice(-2)).toEqual(['(0 rows)', '(0 rows)'])
  },
)
