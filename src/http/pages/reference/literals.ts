import { escapeHtml } from '../page.ts'

/** How a language writes what JSON calls true, false and null. */
export type Words = { true: string; false: string; null: string }

export const jsonWords: Words = { true: 'true', false: 'false', null: 'null' }
export const pythonWords: Words = { true: 'True', false: 'False', null: 'None' }

/** What is in one line if it is as short as this. */
const lineLength = 56

/** A piece of code in the colour of its kind, as HTML. */
export function coloured(kind: 'key' | 'text' | 'value' | 'word' | 'note', text: string): string {
  return `<span class="t-${kind}">${escapeHtml(text)}</span>`
}

/** A JSON value as HTML, with colours. `indent` stands before each line but the first. */
export function literal(value: unknown, words: Words = jsonWords, indent = ''): string {
  if (typeof value === 'string') return coloured('text', JSON.stringify(value))
  if (typeof value === 'number') return coloured('value', String(value))
  if (value === null || value === undefined) return coloured('value', words.null)
  if (typeof value === 'boolean') return coloured('value', words[`${value}`])
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, words, inner))
    : Object.entries(value).map(
        ([key, one]) => `${coloured('key', JSON.stringify(key))}: ${literal(one, words, inner)}`,
      )
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
