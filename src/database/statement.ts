import { toText } from './types.ts'

/** The form of a function's result: `rows`, `void` (nothing), or the PostgreSQL type of one value. */
type Returns = string

type Types = { readonly [arg: string]: string }

/** By `schema.name`: the PostgreSQL types of the arguments, those with a default apart, and the form of the result. */
export type FunctionTable = {
  readonly [name: string]: { readonly args: Types; readonly options?: Types; readonly returns: Returns }
}

/** A statement to be prepared: its text, the arguments that are its parameters, and a name that no other has. */
export type Statement = { name: string; text: string; args: { name: string; type: string }[]; returns: Returns }

const statements = new WeakMap<FunctionTable, Map<string, Statement>>()
let built = 0

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

function build(table: FunctionTable, name: string, given: string[]): Statement {
  const definition = table[name]
  if (definition === undefined) throw new TypeError(`no SQL function ${name}`)
  const args = given.map((arg) => {
    const type = definition.args[arg] ?? definition.options?.[arg]
    if (type === undefined) throw new TypeError(`${name} has no argument ${arg}`)
    return { name: arg, type }
  })
  const { returns } = definition
  const call = `${name}(${args.map(({ name: arg, type }, index) => `"${arg}" => $${index + 1}::${type}`).join(', ')})`
  const text = returns === 'rows' ? `select * from ${call}` : `select ${call} as value`
  built += 1
  return { name: `call_${built}`, text, args, returns }
}

/** The arguments as texts of their types; null is SQL's null. */
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
    default:
      return rows[0]?.value ?? null
  }
}
