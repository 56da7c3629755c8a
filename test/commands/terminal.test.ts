import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storyLine } from '../../src/commands/order_stories.ts'
import { recordLine } from '../../src/commands/terminal.ts'
import { testDatabase } from '../support/database.ts'

const { PATH, NODE_COMPILE_CACHE } = process.env
const main = join(import.meta.dirname, '../../src/main.ts')

describe('npm start on a terminal', () => {
  const database = testDatabase({ empty: true })
  let child: ChildProcess
  let output = ''
  let ended: Promise<unknown>

  // `script` gives the program a terminal of its own.
  beforeAll(() => {
    child = spawn('script', ['-qefc', `exec '${process.execPath}' '${main}' start`, '/dev/null'], {
      env: {
        ...{ PATH, NODE_COMPILE_CACHE, TERM: 'xterm-256color', PORT: '0', DRAIN_SECONDS: '0' },
        ...{ DATABASE_URL: database.url, SEED_DEMO: '1' },
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    ended = once(child, 'close')
  })
  afterAll(() => void child.kill('SIGKILL'))

  const shows = (pattern: RegExp) => expect.poll(() => output).toMatch(pattern)

  test('tells the story of an order in coloured lines, and writes no JSON', async () => {
    await shows(/curl -s \S+ -H 'X-Api-Key: svc_test_[0-9a-f]{48}'/)
    const [, url = '', key = ''] = /curl -s (\S+) -H 'X-Api-Key: (\w+)'/.exec(output) ?? []
    const answer = await request(url, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ externalOrderId: 'told', items: [{ productId: 111, quantity: 1 }] }),
    })
    expect(answer.statusCode).toBe(201)
    await answer.body.dump()
    await shows(/\[36mno webhook /)
    const lines = output.split(/\r?\n/).filter((line) => line.includes('ord_') && line.includes('\u001b['))
    const steps = lines.map((line) => stripVTControlCharacters(line).split(/ {2,}/)[2])
    expect(steps).toEqual(['placed', 'supplier', 'completed', 'no webhook'])
    expect(lines.filter((line) => stripVTControlCharacters(line).length > 80)).toEqual([])
    expect(output).not.toMatch(/^\{|^\d\d:\d\d:\d\d .*\{"/m)
    expect(output).toMatch(/^migrating the database … done \(\d+ steps\)\r?$/m)
    expect(output).not.toContain('applying migration')
  })

  test('ends with Ctrl-C', async () => {
    child.stdin?.write('\u0003')
    await ended
    expect(child.exitCode).toBe(0)
  })
})

test('a second Ctrl-C ends the process at once, but not the one that npm passes on with the first', async () => {
  const lifecycle = join(import.meta.dirname, '../../src/commands/lifecycle.ts')
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import { endOnSecondInterrupt, heedSignals } from '${lifecycle}'
       endOnSecondInterrupt()
       void heedSignals().then(() => setTimeout(() => console.log('ending'), 50))
       setInterval(() => {}, 1000)
       console.log('running')`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const ended = once(child, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  await expect.poll(() => printed).toBe('running\n')
  child.kill('SIGINT')
  child.kill('SIGINT')
  await expect.poll(() => printed).toBe('running\nending\n')
  expect(child.exitCode).toBeNull()
  // A signal within half a second of the first one counts as the same Ctrl-C.
  await expect.poll(() => child.kill('SIGINT') && child.exitCode).not.toBeNull()
  await ended
  expect(child.exitCode).toBe(130)
})

describe('a step of a story', () => {
  const entry = {
    ...{
      at: new Date(2026, 10, 22, 9, 5, 7),
      elapsed: '0',
      step: 'placed',
      is_open: false,
      outcome: '',
      actor: 'partner',
      what: 'placed',
    },
    detail: 'a\u001b[2Jb at 89.00 RUB, as first-1; account 1 (a shop); no callback URL',
  }
  const code = `ord_${'0a'.repeat(16)}`

  test('has no colours where none are wanted, and nothing that steers the terminal', () => {
    expect(storyLine(code, entry, { colours: false, columns: 200 })).toBe(
      '09:05:07  ord_0a0a0a…  placed       a?[2Jb at 89.00 RUB, as first-1; account 1 (a shop); no callback URL',
    )
  })

  test('goes on below where it is longer than the terminal is wide', () => {
    const line = storyLine(code, entry, { colours: true, columns: 60 })
    expect(line).toContain('\u001b[36mplaced')
    const lines = stripVTControlCharacters(line).split('\n')
    expect(lines.every((each) => each.length <= 60)).toBe(true)
    expect(lines[1]).toBe(`${' '.repeat(36)}first-1; account 1 (a`)
  })
})

describe('a record of the log', () => {
  const record = (fields: object) => JSON.stringify({ time: new Date(2026, 10, 22, 9, 5, 7), pid: 1, ...fields })
  const plain = { colours: false, all: false }

  test('is a line', () => {
    const lost = record({ level: 'warn', msg: 'a queue connection was lost', reason: 'gone\n' })
    expect(recordLine(lost, plain)).toBe('09:05:07  warn         a queue connection was lost  reason="gone\\n"')
    expect(recordLine(lost, { ...plain, colours: true })).toContain('\u001b[33mwarn')
  })

  test('of a request is left out, unless it failed or all is wanted', () => {
    const served = record({ level: 'info', msg: 'request', status: 201 })
    expect(recordLine(served, plain)).toBeUndefined()
    expect(recordLine(served, { ...plain, all: true })).toContain('request')
    expect(recordLine(record({ level: 'error', msg: 'request', status: 500 }), plain)).toContain('status=500')
  })
})
