import { isJson, toText } from './types.ts'

/** The form of a function's result: `rows`, `void` (nothing), or the PostgreSQL type of one value. */
type Returns = string

type Types = { readonly [arg: string]: string }

/** By `schema.name`: the PostgreSQL types of the arguments, those with a default apart, and the form of the result. */
export type FunctionTable = {
  readonly [name: string]: { readonly args: Types; readonly options?: Types; readonly returns: Returns }
}

/** The pieces of a prepared statement's text, and the arguments that go between them. */
export type Statement = { strings: TemplateStringsArray; args: { name: string; type: string }[]; returns: Returns }

const statements = new WeakMap<FunctionTable, Map<string, Statement>>()

/**
 * The statement that calls a function with these arguments by name; undefined ones take their defaults. The same call
 * has the same statement each time, so that it is prepared once on each connection. Throws if the function or an
 * argument is unknown.
 */
export function statementOf(table: FunctionTable, name: string, args: Record<string, unknown>): Statement {
  const known = statements.get(table) ?? new Map<string, Statement>()
  statements.set(table, known)
  const given = Object.keys(args).filter((arg) => args[arg] !== undefined)
  const signature = [name, ...given].join(' ')
  const statement = known.get(signature) ?? build(table, name, given)
  known.set(signature, statement)
  return statement
}

// Every parameter travels as text and is cast in the statement. postgres.js serialises a parameter by the type that the
// server reports, and once more when it repeats a statement whose plan went stale: text is the same twice.
function build(table: FunctionTable, name: string, given: string[]): Statement {
  const definition = table[name]
  if (definition === undefined) throw new TypeError(`no SQL function ${name}`)
  const args = given.map((arg) => {
    const type = definition.args[arg] ?? definition.options?.[arg]
    if (type === undefined) throw new TypeError(`${name} has no argument ${arg}`)
    return { name: arg, type }
  })
  const [head, tail] = wrapping(definition.returns, name)
  const pieces = [head]
  for (const { name: arg, type } of args) {
    pieces.push(`${pieces.pop()}"${arg}" => `)
    pieces.push(`::${type}, `)
  }
  const last = pieces.pop()?.replace(/, $/, '')
  const strings = [...pieces, `${last}${tail}`]
  return { strings: Object.assign(strings, { raw: strings }), args, returns: definition.returns }
}

function wrapping(returns: Returns, name: string): [head: string, tail: string] {
  if (returns === 'rows') return [`select * from ${name}(`, ')']
  return isJson(returns) ? [`select to_json(${name}(`, ')) as value'] : [`select ${name}(`, ') as value']
}

/** The arguments as the texts that the statement casts; null is SQL's null. */
export function parametersOf(statement: Statement, args: Record<string, unknown>): (string | null)[] {
  return statement.args.map(({ name, type }) => toText(args[name], type))
}

/** The result of a call, from the rows of its statement. */
export function resultOf(statement: Statement, rows: readonly Record<string, unknown>[]): unknown {
  switch (statement.returns) {
    case 'rows':
      return [...rows]
    case 'void':
      return undefined
    default: {
      const value = rows[0]?.value ?? null
      return typeof value === 'string' && isJson(statement.returns) ? JSON.parse(value) : value
    }
  }
}
