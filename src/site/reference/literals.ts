/** How a language writes what JSON calls true, false and null. */
export type Words = { true: string; false: string; null: string }

const jsonWords: Words = { true: 'true', false: 'false', null: 'null' }
export const pythonWords: Words = { true: 'True', false: 'False', null: 'None' }

/** What is in one line if it is as short as this. */
const lineLength = 48

/** A JSON value, laid out to be read. `indent` stands before each line but the first. */
export function literal(value: unknown, words: Words = jsonWords, indent = ''): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return String(value)
  if (value === null || value === undefined) return words.null
  if (typeof value === 'boolean') return words[`${value}`]
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, words, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${literal(one, words, inner)}`)
  if (parts.length === 0) return `${open}${close}`
  if (isShort(value, indent)) {
    const space = open === '{' ? ' ' : ''
    return `${open}${space}${parts.join(', ')}${space}${close}`
  }
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`
}

// The outermost braces have lines of their own, as have lists of objects.
function isShort(value: object, indent: string): boolean {
  const isNested = Object.values(value).some((one) => typeof one === 'object' && one !== null)
  return indent !== '' && !isNested && JSON.stringify(value).length + indent.length <= lineLength
}
