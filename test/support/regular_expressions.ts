import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vitest/node'

/** What stands in a file: expressions as they are written, or one that is made at run time and cannot be read. */
export type Found<T> = { file: string } & (T | { built: true })

const root = join(import.meta.dirname, '../..')

/** The regular expressions of the TypeScript and JavaScript under a folder. */
export function expressionsOfScripts(folder: string): Found<{ expression: RegExp }>[] {
  return filesUnder(folder, /\.(ts|js)$/).flatMap((file) => {
    const found: Found<{ expression: RegExp }>[] = []
    visit(parseAst(read(file), { lang: 'ts' }), (node) => {
      const { type, regex, callee } = node
      if (type === 'Literal' && isRecord(regex)) {
        found.push({ file, expression: new RegExp(String(regex.pattern), String(regex.flags)) })
      } else if (isRecord(callee) && callee.name === 'RegExp') {
        found.push({ file, built: true })
      }
    })
    return found
  })
}

/** The regular expressions of the SQL under a folder: right of `~`, in `regexp_…` and in `substring(… from …)`. */
export function expressionsOfSql(folder: string): Found<{ pattern: string }>[] {
  return filesUnder(folder, /\.sql$/).flatMap((file) => {
    const tokens = tokensOf(read(file))
    return tokens.flatMap((token, at): Found<{ pattern: string }>[] => {
      if (!takesPattern(token)) return []
      const operand = /^\W/.test(token) ? tokens.slice(at + 1, at + 2) : patternAmong(argumentsAt(tokens, at + 1))
      if (operand === undefined) return []
      // SQL joins strings that follow one another.
      if (operand.length === 0 || !operand.every((part) => part.startsWith("'"))) return [{ file, built: true }]
      const pattern = operand.map((part) => part.slice(1, -1).replaceAll("''", "'")).join('')
      return [{ file, pattern }]
    })
  })
}

const operators = ['~', '~*', '!~', '!~*', 'similar', 'substring']

function takesPattern(token: string): boolean {
  return operators.includes(token) || token.startsWith('regexp_')
}

/** Words, strings with their quotes, and operators; comments and white space left out. */
function tokensOf(sql: string): string[] {
  const token = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\w+|[~!*<>=|@#&^?+%/-]+|\S/g
  return (sql.match(token) ?? []).filter((text) => !text.startsWith('--')).map(lowerUnlessQuoted)
}

function lowerUnlessQuoted(token: string): string {
  return token.startsWith("'") ? token : token.toLowerCase()
}

/** The tokens of each argument of the call whose parenthesis opens there. */
function argumentsAt(tokens: string[], open: number): string[][] {
  const parts: string[][] = [[]]
  let depth = 0
  for (const token of tokens.slice(open)) {
    depth += token === '(' ? 1 : token === ')' ? -1 : 0
    if (depth === 0) break
    if (token === ',' && depth === 1) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts.map((part, index) => (index === 0 ? part.slice(1) : part))
}

/** The second argument, or what follows the last `from`; `substring(text, 1, 2)` takes no expression. */
function patternAmong([first = [], second]: string[][]): string[] | undefined {
  const from = first.lastIndexOf('from')
  if (from >= 0) return first.slice(from + 1)
  return second?.length === 1 && /^\d/.test(second[0] ?? '') ? undefined : second
}

function visit(value: unknown, look: (node: Record<string, unknown>) => void): void {
  if (Array.isArray(value)) for (const entry of value) visit(entry, look)
  if (!isRecord(value)) return
  look(value)
  for (const entry of Object.values(value)) visit(entry, look)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RegExp)
}

function filesUnder(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .sort()
    .map((name) => join(folder, name))
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}
