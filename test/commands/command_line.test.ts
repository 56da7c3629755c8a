import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { readCommandLine } from '../../src/commands/command_line.ts'
import { commands } from '../../src/commands/commands.ts'
import { describeFailure } from '../../src/commands/failure.ts'
import { testDatabase } from '../support/database.ts'
import { startRawServer } from '../support/servers/raw_server.ts'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '../..')

/** Runs a command without any setting but these. */
async function call(args: string[], settings: { [name: string]: string } = {}) {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...settings }
  try {
    return { code: 0, ...(await run(process.execPath, ['src/main.ts', ...args], { cwd: checkout, env })) }
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string }
  }
}

const names = Object.keys(commands)

describe('every command', () => {
  test('is an npm script', () => {
    const called = Object.values(project.scripts).flatMap(
      (script) => / src\/main\.ts ([\w-]+)$/.exec(script)?.[1] ?? [],
    )
    expect(called.sort()).toEqual([...names].sort())
  })

  test.each(names)('%s explains itself', async (name) => {
    if (commands[name]?.takesArguments) return expect(name).toBe('receiver')
    for (const help of ['--help', '-h']) {
      const request = readCommandLine(commands, [name, help])
      expect(request).toMatchObject({
        exitCode: 0,
        print: expect.stringMatching(/^usage: npm (start|run [\w-]+)( -- [A-Z]+)?\n\n[A-Z]/),
      })
      const lines = 'print' in request ? request.print.split('\n') : []
      expect(lines.filter((line) => line.length > 120)).toEqual([])
    }
  })

  test.each(names)('%s refuses what it does not know', async (name) => {
    if (commands[name]?.takesArguments) return expect(name).toBe('receiver')
    const argument = commands[name]?.argument
    const request = readCommandLine(commands, [name, ...(argument === undefined ? [] : ['7']), 'now'])
    const refusal = argument === undefined ? /^\w+: takes no argument, and "now" .*--help/ : /^usage: npm run /
    expect(request).toEqual({ exitCode: 2, print: expect.stringMatching(refusal) })
  })

  test('prints its help and nothing else', async () => {
    const told = await call(['start', '--help'])
    expect(told).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('usage: npm start\n') })
  })
})

test.each(['--help', 'help'])('the program alone lists its commands with %s', (argument) => {
  const request = readCommandLine(commands, [argument])
  for (const name of ['npm start', 'npm run api', 'npm run receiver'])
    expect(request).toMatchObject({
      exitCode: 0,
      print: expect.stringContaining(`
  ${name} `),
    })
})

test('a command that there is not is refused in one line', async () => {
  const { code, stdout, stderr } = await call(['strat'])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^there is no command "strat"\. The commands: start, api, [^\n]*\n$/)
})

describe('one line names the wrong setting of', () => {
  const database = testDatabase()
  const nowhere = 'postgres://me:not-to-be-shown@127.0.0.1:1/supply'

  test.each(['migrate', 'demo', 'start', 'reseal'])('%s, whose database cannot be reached', async (name) => {
    const DATA_KEYS = `k1:${Buffer.alloc(32).toString('base64')}`
    const { code, stdout, stderr } = await call([name], { DATABASE_URL: nowhere, PORT: '0', DATA_KEYS })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('DATABASE_URL: the database at 127.0.0.1:1 cannot be reached: nothing listens there\n')
  })

  test.each([
    ['api', 'PORT', { PORT: '' }],
    ['api', 'METRICS_PORT', { PORT: '0' }],
  ])('%s whose %s is taken', async (name, setting, others) => {
    const other = await startRawServer()
    const { port } = other
    const settings = { DATABASE_URL: database.url, ...others, [setting]: String(port) }
    const { code, stdout, stderr } = await call([name], settings)
    await other.close()
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `${setting}: port ${port} of 127.0.0.1 is taken by another program; end that, or set ${setting} to a free one\n`,
    )
  })

  const failure = (fields: object, text = 'no') => Object.assign(new Error(text), fields)

  test.each([
    [
      failure({ syscall: 'listen', code: 'EADDRINUSE', address: '127.0.0.1', port: 3000 }),
      /^PORT: port 3000 .* is taken/,
    ],
    [
      failure({ syscall: 'listen', code: 'EACCES', address: '127.0.0.1', port: 80 }),
      /^PORT: this user may not listen on port 80/,
    ],
    [failure({ syscall: 'listen', code: 'EADDRNOTAVAIL', address: '192.0.2.1', port: 80 }), /^HOST: .* 192\.0\.2\.1$/],
    [
      failure({ syscall: 'getaddrinfo', code: 'ENOTFOUND', hostname: 'nowhere.test' }),
      /^HOST: there is no address for nowhere/,
    ],
    [failure({ code: 'ENOTFOUND', hostname: 'db.test' }), /^DATABASE_URL: the database at 127.0.0.1:1 .*no such host$/],
    [
      failure({ code: '28P01' }, 'password authentication failed'),
      /^DATABASE_URL: .* says: password authentication failed$/,
    ],
    [
      failure({ code: '3D000' }, 'database "x"\ndoes not exist'),
      /^DATABASE_URL: the database supply does not exist on 127\.0\.0\.1:1$/,
    ],
    [new AggregateError([failure({ code: 'ECONNREFUSED' })]), /^DATABASE_URL: .* nothing listens there$/],
    [failure({ code: '42883' }, 'function does not exist'), /^cannot api: function does not exist$/],
  ])('%s', (error, line) => {
    const port = 'port' in error && error.port === 80 ? '80' : undefined
    const told = describeFailure(error, 'api', { DATABASE_URL: nowhere, HOST: 'nowhere.test', PORT: port })
    expect(told).toMatch(line)
    expect(told).not.toContain('not-to-be-shown')
  })
})
