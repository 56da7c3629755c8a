import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import fc from 'fast-check'
import postgres from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectTo, type Database, type DatabaseOptions, isUnavailable } from '../../src/database/client.ts'
import { safeError } from '../../src/log.ts'
import { testDatabase } from '../support/database.ts'

type Fixtures = {
  'api.echo': {
    args: {
      flag?: boolean | null
      list?: readonly (string | null)[] | null
      doc?: unknown
      at?: Date | null
      big?: bigint | null
    }
    result: {
      flag: boolean
      list: unknown
      doc: unknown
      at: Date
      big: string
      raw: string
    }[]
  }
  'api.who': { args: Record<string, never>; result: { role: string; zone: string; timeouts: string }[] }
  'api.sleep': { args: { seconds: number }; result: undefined }
  'api.wide': { args: { flag: boolean; doc: unknown }; result: Record<string, unknown>[] }
  'api.fail_once': { args: { state: string }; result: number | null }
  'api.fail': { args: { secret: string }; result: undefined }
  'api.number': { args: Record<string, never>; result: number | null }
}

const table = {
  'api.echo': {
    args: { flag: 'boolean', list: 'text[]', doc: 'jsonb', at: 'timestamp with time zone', big: 'bigint' },
    returns: 'rows',
  },
  'api.who': { args: {}, returns: 'rows' },
  'api.sleep': { args: { seconds: 'double precision' }, returns: 'void' },
  'api.wide': { args: { flag: 'boolean', doc: 'jsonb' }, returns: 'rows' },
  'api.fail_once': { args: { state: 'text' }, returns: 'value' },
  'api.fail': { args: { secret: 'text' }, returns: 'void' },
  'api.number': { args: {}, returns: 'value' },
} as const

const fixtureSql = `
  create function api.echo(
    flag boolean default true, list text[] default '{}', doc jsonb default '{}', at timestamptz default 'epoch', big bigint default 1
  ) returns table (flag boolean, list jsonb, doc jsonb, at timestamptz, big bigint, raw json)
  language sql return row(flag, to_jsonb(list), doc, at, big, '{"b" : 1, "a":2}'::json);
  create function api.who() returns table (role text, zone text, timeouts text) language sql as $$
    select current_user::text, current_setting('TimeZone'),
      concat_ws(' ', current_setting('statement_timeout'), current_setting('lock_timeout'),
        current_setting('idle_in_transaction_session_timeout'))
  $$;
  create function api.sleep(seconds float8) returns void language sql as 'select pg_sleep(seconds)';
  create sequence public.tries;
  create function api.fail_once(state text) returns int language plpgsql security definer as $$
  begin
    if nextval('public.tries') = 1 then
      raise exception 'cache lookup failed for function 1' using errcode = state;
    end if;
    return 7;
  end $$;
  create function api.fail(secret text) returns void language plpgsql as $$
  begin
    raise exception 'refused' using detail = secret, hint = secret, errcode = 'P0001';
  end $$;
  create function api.number() returns int language sql return 3;
  grant execute on all functions in schema api to supply_api;`

const database = testDatabase()
const open: Database<Fixtures>[] = []

function client(options: Partial<DatabaseOptions> = {}): Database<Fixtures> {
  const db = connectTo<Fixtures>(
    {
      url: database.url,
      role: 'supply_api',
      max: 2,
      statementTimeoutMs: 3_000,
      lockTimeoutMs: 1_000,
      idleInTransactionMs: 5_000,
      deadlineMs: 4_000,
      applicationName: 'client test',
      ...options,
    },
    table,
  )
  open.push(db)
  return db
}

beforeAll(async () => {
  await database.sql.unsafe(fixtureSql)
})

afterAll(async () => {
  await Promise.all(open.map((db) => db.end({ timeout: 0 })))
})

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => error,
  )

describe('a call', () => {
  test('passes every kind of value there and back', async () => {
    const at = new Date('2026-02-03T04:05:06.789Z')
    const list = ['plain', 'with "quotes", commas and \\', '', 'NULL', '{}', 'пример\nна строке', null]
    const doc = [true, { text: 'a"b', big: 1.5, nothing: null }]
    const [row] = await client().call('api.echo', { flag: false, list, doc, at, big: 9_007_199_254_740_993n })
    expect(row).toEqual({
      flag: false,
      list,
      doc,
      at,
      big: '9007199254740993',
      raw: '{"b" : 1, "a":2}',
    })
  })

  test('passes lists of any texts there and back', async () => {
    const db = client()
    const text = fc
      .string({ unit: 'binary' })
      .filter((value) => !value.includes('\0') && value.isWellFormed())
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), fc.jsonValue(), async (list, doc) => {
        const [row] = await db.call('api.echo', { list, doc: { doc } })
        expect(row).toMatchObject({ list })
      }),
      { numRuns: 200 },
    )
  })

  test('leaves absent arguments to their defaults, and null is null', async () => {
    const [row] = await client().call('api.echo', { flag: null, list: undefined })
    expect(row).toMatchObject({ flag: null, list: [], doc: {}, big: '1' })
  })

  test('returns the value of a scalar and undefined for void', async () => {
    const db = client()
    expect(await db.call('api.number')).toBe(3)
    expect(await db.call('api.sleep', { seconds: 0 })).toBeUndefined()
  })

  test('runs with the role, the time zone and the timeouts of the options', async () => {
    const [row] = await client().call('api.who')
    expect(row).toEqual({ role: 'supply_api', zone: 'UTC', timeouts: '3s 1s 5s' })
  })

  test('prepares a statement once and uses it again', async () => {
    const db = client({ max: 1, applicationName: 'prepares once' })
    for (const flag of [true, false, true]) {
      const [row] = await db.call('api.echo', { flag, doc: { flag } })
      expect(row).toMatchObject({ flag, doc: { flag } })
    }
  })

  test('with an argument that cannot be JSON fails without harm to the connection', async () => {
    const db = client({ max: 1 })
    expect(await failure(db.call('api.echo', { doc: () => 1 }))).toBeInstanceOf(TypeError)
    expect(await db.call('api.number')).toBe(3)
  })

  test('takes a connection of its own: a slow call does not hold up the next', async () => {
    const db = client()
    const order: string[] = []
    await Promise.all([
      db.call('api.sleep', { seconds: 0.5 }).then(() => order.push('slow')),
      db.call('api.number').then(() => order.push('fast')),
    ])
    expect(order).toEqual(['fast', 'slow'])
  })

  test('waits for a connection when all are taken', async () => {
    const db = client({ max: 2 })
    const calls = Array.from({ length: 20 }, () => db.call('api.sleep', { seconds: 0.01 }))
    expect(await Promise.all(calls)).toHaveLength(20)
  })
})

describe('a repeat', () => {
  beforeEach(() => database.sql`alter sequence public.tries restart`)

  test.each(['XX000', '40001', '40P01'])('follows at once on %s', async (state) => {
    expect(await client().call('api.fail_once', { state })).toBe(7)
  })

  test('does not follow on any other error', async () => {
    expect(await failure(client().call('api.fail_once', { state: 'P0001' }))).toMatchObject({ code: 'P0001' })
  })

  test('after a changed result type carries the same arguments', async () => {
    const db = client({ max: 1 })
    const define = (columns: string, values: string) =>
      database.sql.unsafe(`
        drop function if exists api.wide(boolean, jsonb);
        create function api.wide(flag boolean, doc jsonb) returns table (${columns}) language sql as 'select ${values}';
        grant execute on function api.wide to supply_api`)
    await define('a boolean, b jsonb', 'flag, doc')
    expect(await db.call('api.wide', { flag: true, doc: { x: 1 } })).toEqual([{ a: true, b: { x: 1 } }])
    await define('a boolean, b jsonb, c int', 'flag, doc, 3')
    expect(await db.call('api.wide', { flag: true, doc: { x: 1 } })).toEqual([{ a: true, b: { x: 1 }, c: 3 }])
  })
})

describe('a deadline', () => {
  test('ends a call whose statement runs too long, and the next call gets a connection', async () => {
    const db = client({ max: 1, deadlineMs: 300 })
    const started = Date.now()
    const error = await failure(db.call('api.sleep', { seconds: 30 }))
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(error).toMatchObject({ name: 'DatabaseDeadline' })
    expect(isUnavailable(error)).toBe(true)
    expect(await db.call('api.number')).toBe(3)
  })

  test('ends a call that never got a connection', async () => {
    const db = client({ max: 1, deadlineMs: 400 })
    const slow = failure(db.call('api.sleep', { seconds: 30 }))
    expect(await failure(db.call('api.number'))).toMatchObject({ name: 'DatabaseDeadline' })
    await slow
  })

  test('leaves no statement running behind it', async () => {
    const db = client({ max: 1, deadlineMs: 300, statementTimeoutMs: 60_000, applicationName: 'left behind' })
    await failure(db.call('api.sleep', { seconds: 30 }))
    await expect
      .poll(() => database.sql`select from pg_stat_activity where application_name = 'left behind'`, {
        timeout: 10_000,
      })
      .toHaveLength(0)
  })
})

describe('an error is unavailability', () => {
  test('when the statement takes longer than its timeout', async () => {
    const error = await failure(client({ statementTimeoutMs: 100 }).call('api.sleep', { seconds: 5 }))
    expect(error).toMatchObject({ code: '57014' })
    expect(isUnavailable(error)).toBe(true)
  })

  test.each(['57P01', '57P03', '53300', '53100', '08006', '55P03', '25006'])(
    'when its SQLSTATE is %s',
    async (state) => {
      await database.sql`alter sequence public.tries restart`
      expect(isUnavailable(await failure(client().call('api.fail_once', { state })))).toBe(true)
    },
  )

  test.each(['P0001', '23505', '42883', '22P02', '28000'])(
    'but not when its SQLSTATE is %s',
    async (state) => {
      await database.sql`alter sequence public.tries restart`
      expect(isUnavailable(await failure(client().call('api.fail_once', { state })))).toBe(false)
    },
  )

  test('when nobody listens at the address, at once', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const port = portOf(server)
    server.close()
    const db = client({ url: `postgres://postgres@127.0.0.1:${port}/x`, max: 1, deadlineMs: 3_000 })
    const started = Date.now()
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const error = await failure(db.call('api.number'))
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
      expect(isUnavailable(error)).toBe(true)
    }
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  test.each([
    ['accepts and says nothing', (_socket: Socket) => {}],
    ['accepts and hangs up', (socket: Socket) => socket.destroy()],
  ])('when the server %s', async (_case, greet) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      greet(socket)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const db = client({ url: `postgres://postgres@127.0.0.1:${portOf(server)}/x`, max: 2, deadlineMs: 500 })
    const started = Date.now()
    const errors = await Promise.all(Array.from({ length: 6 }, () => failure(db.call('api.number'))))
    expect(errors.every(isUnavailable)).toBe(true)
    expect(Date.now() - started).toBeLessThan(10_000)
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  test('and a bug of ours is none', () => {
    expect(isUnavailable(new TypeError('x is not a function'))).toBe(false)
    expect(isUnavailable(undefined)).toBe(false)
  })
})

describe('what may be logged of an error', () => {
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

describe('end', () => {
  test('lets a call under way finish and refuses new ones', async () => {
    const db = client()
    const call = db.call('api.sleep', { seconds: 0.3 })
    const end = db.end()
    const refused = await failure(db.call('api.number'))
    expect(refused).toMatchObject({ code: 'CONNECTION_ENDED' })
    expect(isUnavailable(refused)).toBe(true)
    await expect(call).resolves.toBeUndefined()
    await end
  })

  test('does not wait longer than told', async () => {
    const db = client()
    const call = failure(db.call('api.sleep', { seconds: 30 }))
    const started = Date.now()
    await db.end({ timeout: 0.2 })
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(isUnavailable(await call)).toBe(true)
  })
})

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
