import { afterAll, beforeAll } from 'vitest'
import { connectTo, type Database, type DatabaseOptions } from '../../src/database/client.ts'
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
    result: { flag: boolean; list: unknown; doc: unknown; at: Date; big: string; raw: string }[]
  }
  'api.who': { args: Record<string, never>; result: { role: string; zone: string; timeouts: string }[] }
  'api.sleep': { args: { seconds: number }; result: undefined }
  'api.wide': { args: { flag: boolean; doc: unknown }; result: Record<string, unknown>[] }
  'api.fail_once': { args: { state: string }; result: number | null }
  'api.fail': { args: { secret: string }; result: undefined }
  'api.number': { args: Record<string, never>; result: number | null }
  'api.divided': { args: Record<string, never>; result: { quotient: number }[] }
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
  'api.divided': { args: {}, returns: 'rows' },
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
  create function api.divided() returns table (quotient int) language sql stable begin atomic
    select 6 / n from generate_series(2, 0, -1) as n;
  end;
  grant execute on all functions in schema api to supply_api;`

/** What a client needs beside its URL. */
export const clientOptions = {
  role: 'supply_api',
  max: 2,
  statementTimeoutMs: 3_000,
  lockTimeoutMs: 1_000,
  idleInTransactionMs: 5_000,
  deadlineMs: 4_000,
  applicationName: 'client test',
}

/** A database with the functions of the table, and clients for them that end with the tests of one file. */
export function clientTests() {
  const database = testDatabase()
  const open: Database<Fixtures>[] = []

  function client(options: Partial<DatabaseOptions> = {}): Database<Fixtures> {
    const db = connectTo<Fixtures>({ ...clientOptions, url: database.url, ...options }, table)
    open.push(db)
    return db
  }

  beforeAll(async () => {
    await database.sql.unsafe(fixtureSql)
  })

  afterAll(async () => {
    await Promise.all(open.map((db) => db.end({ timeout: 0 })))
  })

  return { database, client }
}

/** What a promise rejects with. */
export const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => error,
  )
