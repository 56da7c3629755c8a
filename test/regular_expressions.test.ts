import type postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { floorMs, growsTooFast, lengths, type Shape, shapesFor, textOf } from './support/growth.ts'
import { expressionsOfScripts, expressionsOfSql, type SqlUse } from './support/regular_expressions.ts'

// Whoever writes to the service, receives from it or answers it chooses texts: none may choose one that takes an
// expression longer than its length deserves. All expressions are tried, whosever text they meet.

const scripts = ['src', 'tasks'].flatMap(expressionsOfScripts)
const statements = ['db/functions', 'db/migrations'].flatMap(expressionsOfSql)

describe('no regular expression takes more than linear time', () => {
  const literals = scripts.flatMap((found) => ('expression' in found ? [found] : []))

  test.each(literals)('$file $expression', async ({ expression }) => {
    expect(await slowTextFor(expression)).toBeUndefined()
  })

  test.each([
    ['a run before the end', /^[ \t]+|[ \t]+$/g],
    ['a run before something', /\s*\n\s*/g],
    ['two runs of the same', /^\d+\d*x/],
    ['a run of runs', /^(a+)+$/],
    ['a run in quotes that do not close', /"(?:[^"\\]|\\.)*"/],
  ])('which this test would see: %s', async (_what, expression) => {
    expect(await slowTextFor(expression)).toBeDefined()
  })

  test('and none is made at run time, where this test could not read it', () => {
    expect(scripts.flatMap((found) => ('built' in found ? [found.file] : []))).toEqual([])
  })
})

async function slowTextFor(expression: RegExp): Promise<Shape | undefined> {
  for (const shape of shapesFor(expression)) {
    if (await growsTooFast(shape, stopwatchOf(expression))) return shape
  }
  return undefined
}

function stopwatchOf(expression: RegExp) {
  return (shape: Shape, length: number): number => {
    const text = textOf(shape, length)
    const once = () => {
      const started = performance.now()
      text.replace(expression, '')
      return performance.now() - started
    }
    const first = once()
    return first < floorMs ? first : Math.min(first, once(), once())
  }
}

describe('nor does one in SQL', () => {
  const database = testDatabase()
  const literals = statements.flatMap((found) => ('pattern' in found ? [found] : []))

  beforeAll(() => makeStopwatches(database.sql))

  test.each(literals)('$file $pattern', async ({ pattern, use }) => {
    const timesOf = (shapes: Shape[], length: number) => times(database.sql, use, pattern, shapes, length)
    const shapes = shapesFor(inJavaScript(pattern)).filter((shape) => !textOf(shape, 1).includes('\u0000'))
    const all = await timesOf(shapes, Math.max(...lengths))
    for (const shape of shapes.filter((_shape, index) => (all[index] ?? 0) >= floorMs)) {
      const tooFast = await growsTooFast(shape, async (one, length) => (await timesOf([one], length))[0] ?? 0)
      expect(tooFast ? shape : undefined).toBeUndefined()
    }
  })

  test('which this test would see: a look ahead from each character', async () => {
    const slow = await growsTooFast({ before: '', run: 'a', after: '!' }, async (shape, length) => {
      const [time = 0] = await times(database.sql, 'test', 'a(?=a*b)', [shape], length)
      return time
    })
    expect(slow).toBe(true)
  })

  test('and only two are made at run time: of an allowed origin, of 300 characters at most, and of a width of the help', () => {
    const built = statements.flatMap((found) => ('built' in found ? [found.file] : []))
    expect(built).toEqual(['db/functions/core/accounts/plain_origin.sql', 'db/functions/core/text/wrap.sql'])
  })
})

/** Near enough for examples of what it matches. */
function inJavaScript(pattern: string): RegExp {
  const translated = pattern.replaceAll('[:space:]', '\\s').replaceAll(/\\U000([0-9a-f]{5})/g, '\\u{$1}')
  return new RegExp(translated, translated === pattern ? '' : 'u')
}

/** One for each way in which SQL uses an expression: it goes through it in a way of its own. */
async function makeStopwatches(sql: postgres.Sql): Promise<void> {
  const work: Record<SqlUse, string> = {
    test: 'given ~ pattern',
    replace: `regexp_replace(given, pattern, '', 'g')`,
    part: 'substring(given from pattern)',
  }
  for (const [use, expression] of Object.entries(work)) {
    await sql.unsafe(`
      create function public.time_to_${use}(pattern text, shapes jsonb, length int)
      returns double precision[] language plpgsql as $$
      declare
        times double precision[] := '{}';
        shape jsonb;
        given text;
        started timestamptz;
        best double precision;
      begin
        for shape in select s from jsonb_array_elements(shapes) s loop
          given := (shape ->> 'before') || repeat(shape ->> 'run', length / length(shape ->> 'run')) || (shape ->> 'after');
          best := 'infinity';
          for attempt in 1 .. 3 loop
            started := clock_timestamp();
            perform ${expression};
            best := least(best, 1000 * extract(epoch from clock_timestamp() - started));
            exit when best < ${floorMs};
          end loop;
          times := times || best;
        end loop;
        return times;
      end $$`)
  }
}

/** The milliseconds that each text takes in PostgreSQL, at its best of a few tries. */
async function times(
  sql: postgres.Sql,
  use: SqlUse,
  pattern: string,
  shapes: Shape[],
  length: number,
): Promise<number[]> {
  const stopwatch = sql(`public.time_to_${use}`)
  const [row] = await sql<{ times: number[] }[]>`
    select ${stopwatch}(${pattern}, ${sql.json(shapes)}, ${length}) as times`
  return row?.times ?? []
}
