import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressIn } from '../../src/site/guide/files.ts'
import { renderMarkdown } from '../../src/site/markdown.ts'
import { testDatabase } from '../support/database.ts'
import { loadDemoCatalog } from '../support/partner.ts'
import { startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { startApi, type TestApi } from '../support/service.ts'
import { oneValue } from '../support/sql/one_value.ts'
import { startTestWorker } from '../support/whole_service.ts'
import { blocksOf, fieldsOf, guideTexts } from './guide_text.ts'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../docs')
const scratch = mkdtempSync(join(tmpdir(), 'guide-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

// The commands of the page on webhooks are for other programs; webhooks.test.ts holds them.
const pasted = guideTexts.filter(({ name }) => name !== 'webhooks').flatMap(({ text }) => blocksOf(text))

const hasCurl = spawnSync('bash', ['-c', 'command -v curl']).status === 0
if (!hasCurl) console.info('no bash or curl on this machine, hence not run: the commands of the guide')

describe.skipIf(!hasCurl)('the commands of the guide', () => {
  const database = testDatabase()
  let api: TestApi
  let key = ''
  const closing: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    const supplier = await startScriptedSupplier()
    supplier.setAnswer(({ body }) => ({
      status: 200,
      json: { status: 'completed', codes: String(Object(body).sku).startsWith('KEY') ? ['A', 'B'] : [] },
    }))
    await loadDemoCatalog(database.sql, supplier)
    cpSync(join(docs, 'programs'), scratch, { recursive: true })
    key = await oneValue(database.sql`select ops.ensure_demo_key()`)
    api = await startApi(database.url)
    const worker = await startTestWorker(database.url)
    closing.push(worker.stop, api.close, supplier.close)
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })

  /** What a block prints when it is pasted into a shell where the blocks before it were. */
  async function paste(text: string, before: string[]): Promise<string> {
    const exported = before.flatMap((earlier) => earlier.match(/^export .*$/gm) ?? [])
    const script = ['set -euo pipefail', ...exported, text].join('\n')
    const { stdout, stderr } = await run('bash', ['-c', script], { cwd: scratch })
    expect(stderr).toBe('')
    return stdout
  }

  test('can be pasted one after the other, and answer what the guide says', async () => {
    const done: string[] = []
    let code = ''
    for (const [index, { language, file, text }] of pasted.entries()) {
      // Programs are run by programs.test.ts.
      if (language !== 'sh' || file !== undefined) continue
      const mine = text
        .replaceAll('http://127.0.0.1:3000', api.url)
        .replace(/svc_test_0+/, key)
        .replace(/ord_[0-9a-f]{32}/, code)
      let printed = await paste(mine, done)
      // As the answer of a busy machine says: try again shortly.
      while (printed.includes('"code":"UNAVAILABLE"')) printed = await paste(mine, done)
      done.push(mine)
      if (printed.startsWith('{')) {
        const answer = JSON.parse(printed)
        const next = pasted[index + 1]
        const shown = next?.language === 'json' ? JSON.parse(next.text) : undefined
        if (shown !== undefined) expect(fieldsOf(answer)).toEqual(fieldsOf(shown))
        expect(answer.success, printed).toBe(shown === undefined ? true : shown.success)
        code ||= answer.data?.code ?? ''
      }
    }
    expect(done.length).toBeGreaterThan(10)
    expect(code).toMatch(/^ord_/)
    expect(JSON.parse(readFileSync(join(scratch, 'openapi.json'), 'utf8')).openapi).toBe('3.1.0')
  })
})

test('the guide shows each program and each verification once, as a tab', () => {
  const shown = guideTexts.flatMap(({ text }) => blocksOf(text)).filter(({ file }) => file !== undefined)
  const files = ['programs', 'verify'].flatMap((folder) =>
    readdirSync(join(docs, folder)).map((name) => `../${folder}/${name}`),
  )
  expect(shown.map(({ file }) => file).sort()).toEqual(files.filter((file) => !file.includes('vectors')).sort())
  expect(shown.filter(({ isTab }) => !isTab)).toEqual([])
})

describe('the guide', () => {
  test('has a page for each of its files', () => {
    const files = readdirSync(join(docs, 'guide')).map((name) => `guide/${name}`)
    expect(files.sort()).toEqual(guideTexts.map(({ file }) => file).sort())
  })

  test('finds each link that leads nowhere', () => {
    expect(addressIn('/base', 'errors.md#limits')).toBe('/base/docs/errors#limits')
    expect(addressIn('', 'quickstart.md')).toBe('/docs')
    expect(addressIn('/base', '../verify/verify.py')).toBe('/base/docs/verify/verify.py')
    const lost = ['nothing.md', 'errors', '../verify/nothing', '../verify/../bench.json', '../bench.json', '/x']
    for (const target of lost) expect(() => addressIn('', target), target).toThrow('leads nowhere')
  })
})

describe('rendering Markdown', () => {
  const render = (text: string) => renderMarkdown(text, (target) => `/to/${target}`)

  test('shows tags as text, in lines and in blocks', () => {
    const { html } = render('a <b>c</b>\n\n<script>x</script>\n\n`<i>`\n\n```html\n<u>\n```')
    expect(html).not.toMatch(/<(b|script|i|u)>/)
    expect(html).toContain('&lt;script&gt;')
  })

  test('makes ids of headings as GitHub does, each once', () => {
    const { headings } = render('# A b\n\n## `c`, d!\n\n## A b')
    expect(headings.map(({ id, depth }) => [id, depth])).toEqual([
      ['a-b', 1],
      ['c-d', 2],
      ['a-b-1', 2],
    ])
  })

  test('asks where links lead, but for those within the page', () => {
    expect(render('[x](y.md) [z](#z)').html).toBe('<p><a href="/to/y.md">x</a> <a href="#z">z</a></p>\n')
  })

  test('refuses images', () => {
    expect(() => render('![x](y.png)')).toThrow('y.png')
  })
})
