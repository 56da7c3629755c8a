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

/**
 * Returns a function that makes the statement which calls a function of the table with these arguments by name;
 * undefined ones take their defaults. The same call has the same statement each time, so that it is prepared once on
 * each connection. Throws if the function or an argument is unknown.
 */
export function createStatements(table: FunctionTable) {
  const statements = new Map<string, Statement>()

  return (name: string, args: Record<string, unknown>): Statement => {
    const given = Object.keys(args).filter((arg) => args[arg] !== undefined)
    const signature = [name, ...given].join(' ')
    const known = statements.get(signature)
    if (known !== undefined) return known
    const statement = { name: `call_${statements.size}`, ...build(table, name, given) }
    statements.set(signature, statement)
    return statement
  }
}

function build(table: FunctionTable, name: string, given: string[]): Omit<Statement, 'name'> {
  const definition = table[name]
  if (definition === undefined) throw new TypeError(`no SQL function ${name}`)
  const args = given.map((arg) => {
    const type = definition.args[arg] ?? definition.options?.[arg]
    if (type === undefined) throw new TypeError(`${name} has no argument ${arg}`)
    return { name: arg, type }
  })
  const { returns } = definition
  const call = `${name}(${args.map(({ name: arg, type }, index) => `"${arg}" => $${index + 1}::${type}`).join(', ')})`
  return { text: returns === 'rows' ? `select * from ${call}` : `select ${call} as value`, args, returns }
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
