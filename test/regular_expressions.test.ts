import { describe, expect, test } from 'vitest'
import { growsTooFast, type Shape, shapesFor } from './support/growth.ts'
import { expressionsOfScripts, expressionsOfSql } from './support/regular_expressions.ts'

// Partners, receivers and suppliers choose texts that the service matches: none may choose one that takes an expression
// longer than its length deserves. All expressions are tried, because any of them may meet such a text one day; but not
// those of the migration, which reads only files of the service.

const scripts = ['src', 'tasks'].flatMap(expressionsOfScripts).filter(({ file }) => !file.startsWith('src/migrate/'))
const statements = ['db/functions', 'db/migrations'].flatMap(expressionsOfSql)

const slowTextFor = (expression: RegExp): Shape | undefined =>
  shapesFor(expression).find((shape) => growsTooFast(shape, expression))

describe('no regular expression takes more than linear time', () => {
  const literals = scripts.flatMap((found) => ('expression' in found ? [found] : []))

  test.each(literals)('$file $expression', ({ expression }) => {
    expect(slowTextFor(expression)).toBeUndefined()
  })

  test.each([
    ['a run before the end', /^[ \t]+|[ \t]+$/g],
    ['a run before something', /\s*\n\s*/g],
    ['two runs of the same', /^\d+\d*x/],
    ['a run of runs', /^(a+)+$/],
    ['a run in quotes that do not close', /"(?:[^"\\]|\\.)*"/],
    ['a look ahead from each character', /a(?=a*b)/],
  ])('the check finds %s', (_what, expression) => {
    expect(slowTextFor(expression)).toBeDefined()
  })

  test('no script builds a regular expression at run time, where this test could not read it', () => {
    expect(scripts.flatMap((found) => ('built' in found ? [found.file] : []))).toEqual([])
  })
})

// Node backtracks, PostgreSQL mostly does not: an expression that is linear here is linear there.
describe('no regular expression in SQL takes more than linear time', () => {
  const literals = statements.flatMap((found) => ('pattern' in found ? [found] : []))

  test.each(literals)('$file $pattern', ({ pattern }) => {
    expect(slowTextFor(inJavaScript(pattern))).toBeUndefined()
  })

  test('only two are built at run time: of an allowed origin of at most 300 characters, and of a width of the help', () => {
    const built = statements.flatMap((found) => ('built' in found ? [found.file] : []))
    expect(built).toEqual(['db/functions/core/accounts/plain_origin.sql', 'db/functions/core/text/wrap.sql'])
  })
})

/** In PostgreSQL a dot matches a line feed too. */
function inJavaScript(pattern: string): RegExp {
  const translated = pattern.replaceAll('[:space:]', '\\s').replaceAll(/\\U000([0-9a-f]{5})/g, '\\u{$1}')
  return new RegExp(translated, translated === pattern ? 's' : 'su')
}
