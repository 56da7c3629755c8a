import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { answeredWith, completedEvent, deliver, otherSecret, receivers, secret } from './harness.ts'

const start = receivers()
const module = join(import.meta.dirname, '../../../src/commands/receiver.ts')
const program = `import(${JSON.stringify(module)}).then(({ receiver }) => receiver(process.argv.slice(1)))`

type Command = ChildProcessByStdio<Writable, Readable, Readable>

const commands: Command[] = []
const folder = mkdtempSync(join(tmpdir(), 'receiver-'))
const withSecret = ['--secret-file', join(folder, 'the-secret')]

beforeAll(() => writeFileSync(join(folder, 'the-secret'), secret))
afterEach(() => {
  for (const command of commands.splice(0)) command.kill('SIGKILL')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function spawnCommand(args: string[]): Command {
  const command = spawn(process.execPath, ['-e', program, '--', ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  commands.push(command)
  return command
}

/** Runs the command to its end. */
async function run(args: string[], input = '') {
  const command = spawnCommand(args)
  command.stdin.end(input)
  const [stdout, stderr, [status]] = await Promise.all([
    text(command.stdout),
    text(command.stderr),
    once(command, 'close'),
  ])
  return { status, stdout, stderr }
}

/** Starts the command on a free port. `end` signals it and returns its exit code. */
async function startCommand(args: string[], input = '') {
  const command = spawnCommand(['--port', '0', ...args])
  command.stdin.end(input)
  const lines = createInterface({ input: command.stdout })[Symbol.asyncIterator]()
  const line = async (): Promise<string> => (await lines.next()).value ?? ''
  const greeting = `${await line()}\n${await line()}`
  const url = /http:\S+\d/.exec(greeting)?.[0] ?? ''
  const end = async (signal: 'SIGINT' | 'SIGTERM'): Promise<number> => {
    const closed = once(command, 'close')
    command.kill(signal)
    const [status] = await closed
    return status
  }
  return { command, greeting, url, line, end }
}

describe('npm run receiver', () => {
  it('prints what arrives, and ends with a summary on SIGTERM', async () => {
    const { greeting, url, line, end } = await startCommand(withSecret)
    expect(greeting).toBe(
      `receiver: listening on ${url}, answering 200\nSignatures are verified. Ctrl-C stops the receiver.`,
    )
    const event = completedEvent()
    const { orderCode } = JSON.parse(event.body.toString()).data
    expect(await deliver(url, event)).toEqual(answeredWith(200))
    expect((await line()).split(/ {2,}/).slice(1)).toEqual(['order.completed', orderCode, 'verified', 'new', '200'])
    expect((await line()).trim()).toBe('shop-1001 · 50.50 · 2 × Gift key (2 keys), 1 × 100 credits')
    expect(await deliver(url, event)).toEqual(answeredWith(200))
    expect((await line()).split(/ {2,}/).slice(3)).toEqual(['verified', 'duplicate', '200'])
    await line()
    expect(await deliver(url, completedEvent(), { signedWith: otherSecret })).toEqual(answeredWith(401))
    expect((await line()).split(/ {2,}/).slice(3)).toEqual(['REJECTED', '-', '401'])
    expect((await line()).trim()).toBe('wrong signature')
    expect(await end('SIGTERM')).toBe(0)
    expect(await line()).toBe('3 deliveries: 2 verified, 1 rejected, 1 duplicate')
  })

  it('says that it has no secret, and prints deliveries as unverified', async () => {
    const { greeting, url, line, end } = await startCommand([])
    expect(greeting).toContain('No secret given: nothing is verified')
    expect(await line()).toContain('--demo uses that of the demo partner')
    expect(await deliver(url, completedEvent())).toEqual(answeredWith(200))
    expect(await line()).toMatch(/unverified +new +200$/)
    expect(await end('SIGINT')).toBe(0)
  })

  it('answers any status if told so', async () => {
    const { greeting, url, line, end } = await startCommand(['--answer', '503', ...withSecret])
    expect(greeting).toContain('answering 503\n')
    const event = completedEvent()
    expect(await deliver(url, event)).toEqual(answeredWith(503))
    expect(await line()).toMatch(/verified +new +503$/)
    await line()
    expect(await deliver(url, event)).toEqual(answeredWith(503))
    expect(await line()).toMatch(/verified +delivery 2 +503$/)
    expect(await end('SIGTERM')).toBe(0)
  })

  it('ends while a delivery hangs, and does not mind a second signal', async () => {
    const { command, url, line, end } = await startCommand(['--answer', 'hang', ...withSecret])
    const sent = deliver(url, completedEvent(), { timeoutMs: 20_000 })
    expect(await line()).toMatch(/no answer$/)
    command.kill('SIGINT')
    expect(await end('SIGINT')).toBe(0)
    expect(await sent).toEqual({
      kind: 'unreachable',
      errorKind: 'connection_error',
      error: 'connection closed by the receiver',
    })
  })

  it.each([
    ['a file', 'secret.txt', ''],
    ['standard input', '-', `${secret}\n`],
  ])('takes the secret from %s', async (_from, name, input) => {
    const path = name === '-' ? name : join(folder, name)
    if (name !== '-') writeFileSync(path, `${secret}\n`)
    const { url, end } = await startCommand(['--secret-file', path], input)
    expect(await deliver(url, completedEvent())).toEqual(answeredWith(200))
    expect(await deliver(url, completedEvent(), { signedWith: otherSecret })).toEqual(answeredWith(401))
    expect(await end('SIGTERM')).toBe(0)
  })

  it('shows its options', async () => {
    const { status, stdout, stderr } = await run(['--help'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    for (const option of ['port', 'secret-file', 'demo', 'answer']) expect(stdout).toContain(`  --${option} `)
  })

  it.each<[string[], string]>([
    [['--port', '65536'], '--port 65536 is not a port (0 to 65535)'],
    [['--port', 'abc'], '--port abc is not a port (0 to 65535)'],
    [['--secret-file', '/dev/null'], 'the secret is not 64 hexadecimal characters'],
    [['--secret-file', '/nowhere/secret'], 'cannot read --secret-file /nowhere/secret: no such file'],
    [['--demo', '--secret-file', '-'], '--secret-file and --demo exclude each other'],
    [['--answer', '600'], '--answer 600 is neither ok, hang nor a status from 200 to 599'],
    [['--colour', 'red'], "Unknown option '--colour'; --help shows the options"],
    [['--port'], "Option '--port <value>' argument missing; --help shows the options"],
    [['--port', '--answer', 'ok'], "Option '--port' argument is ambiguous; --help shows the options"],
    [['4100'], "Unexpected argument '4100'; --help shows the options"],
  ])('refuses %j in one line', async (args, fault) => {
    expect(await run(args)).toEqual({ status: 2, stdout: '', stderr: `receiver: ${fault}\n` })
  })

  it('says in one line that the port is taken', async () => {
    const { port } = await start()
    expect(await run(['--port', String(port)])).toEqual({
      status: 1,
      stdout: '',
      stderr: `receiver: cannot listen on port ${port}: the port is taken\n`,
    })
  })
})
