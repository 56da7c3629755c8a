import type { Socket } from 'node:net'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { isUnavailable } from '../../src/database/client.ts'
import { safeError } from '../../src/log.ts'
import { freePort } from '../support/servers/free_port.ts'
import { startRawServer } from '../support/servers/raw_server.ts'
import { clientTests, failure } from './client_tests.ts'

const { database, client } = clientTests()

describe('an error is unavailability', () => {
  test('when the statement takes longer than its timeout', async () => {
    const error = await failure(client({ statementTimeoutMs: 100 }).call('api.sleep', { seconds: 5 }))
    expect(error).toMatchObject({ code: '57014' })
    expect(isUnavailable(error)).toBe(true)
  })

  test.each(['57P01', '57P03', '53300', '53100', '54000', '54001', '08006', '55P03', '25006'])(
    'when its SQLSTATE is %s',
    async (state) => {
      await database.sql`alter sequence public.tries restart`
      expect(isUnavailable(await failure(client().call('api.fail_once', { state })))).toBe(true)
    },
  )

  test.each(['P0001', '23505', '42883', '22P02', '28000'])('but not when its SQLSTATE is %s', async (state) => {
    await database.sql`alter sequence public.tries restart`
    expect(isUnavailable(await failure(client().call('api.fail_once', { state })))).toBe(false)
  })

  test('at once, when no server listens at the address', async () => {
    const db = client({ url: `postgres://postgres@127.0.0.1:${await freePort()}/x`, max: 1, deadlineMs: 3_000 })
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const error = await failure(db.call('api.number'))
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
      expect(isUnavailable(error)).toBe(true)
    }
  })

  test.each([
    ['takes no sessions for the database', { pathname: '/template0' }, '55000'],
    ['lacks the database', { pathname: '/nowhere' }, '3D000'],
    ['refuses the login', { username: 'nobody' }, '28P01'],
  ])('when the server %s', async (_case, change, code) => {
    const { href } = Object.assign(new URL(database.url), change)
    const error = await failure(client({ url: href }).call('api.number'))
    expect(error).toMatchObject({ code })
    expect(isUnavailable(error)).toBe(true)
  })

  test.each([
    ['accepts and says nothing', (_socket: Socket) => {}],
    ['accepts and hangs up', (socket: Socket) => socket.destroy()],
  ])('when the server %s', async (_case, greet) => {
    const server = await startRawServer({ onConnection: greet })
    const db = client({ url: `postgres://postgres@127.0.0.1:${server.port}/x`, max: 2, deadlineMs: 500 })
    const errors = await Promise.all(Array.from({ length: 6 }, () => failure(db.call('api.number'))))
    expect(errors.every(isUnavailable)).toBe(true)
    expect(server.connections.length).toBeGreaterThan(0)
    await server.close()
  })

  test('and a bug of ours is none', () => {
    expect(isUnavailable(new TypeError('x is not a function'))).toBe(false)
    expect(isUnavailable(undefined)).toBe(false)
  })
})

describe('the log record of an error', () => {
  test('holds no detail, hint, parameter or query', async () => {
    const error = await failure(client().call('api.fail', { secret: 'svc_live_0123' }))
    expect(JSON.stringify(safeError(error))).not.toContain('svc_live_0123')
    expect(safeError(error)).toMatchObject({
      type: 'PostgresError',
      code: 'P0001',
      message: 'refused',
      where: [expect.stringMatching(/^PL\/pgSQL function api\.fail\(text\) line 3/)],
    })
  })

  test('holds no input that the server quotes', async () => {
    const error = await failure(database.sql`select 'svc_live_0123'::int`)
    expect(error).toBeInstanceOf(postgres.PostgresError)
    expect(JSON.stringify(safeError(error))).not.toContain('svc_live_0123')
    expect(safeError(error).message).toBe('invalid input syntax for type integer')
  })

  test('follows the cause, and takes anything that was thrown', () => {
    expect(safeError(new Error('outer', { cause: new TypeError('inner') }))).toMatchObject({
      type: 'Error',
      message: 'outer',
      cause: { type: 'TypeError', message: 'inner' },
    })
    expect(safeError('secret')).toEqual({ type: 'string', message: 'not an error object' })
  })
})
