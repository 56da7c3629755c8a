/** What is wrong with a text that is not JSON, with the place of the fault. It quotes nothing of the text. */
export function jsonFault(text: string): string {
  if (text.trim() === '') return 'is empty'
  // The parser refuses keys that would change an object's prototype.
  if (faultOf(text) === 'none') return 'must not have a key named __proto__ or constructor'
  const at = firstFault(text)
  if (at === undefined) return 'is no JSON: it ends too early'
  const before = text.slice(0, at).split('\n')
  return `is no JSON: line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/** The first character after which no end could make it JSON. V8 does not always say where a fault is. */
function firstFault(text: string): number | undefined {
  if (faultOf(text) !== 'wrong') return undefined
  let [sound, wrong] = [0, text.length]
  while (wrong - sound > 1) {
    const middle = Math.floor((sound + wrong) / 2)
    if (faultOf(text.slice(0, middle)) === 'wrong') wrong = middle
    else sound = middle
  }
  return wrong - 1
}

/** Whether a text is JSON, could still become JSON by what follows, or is wrong. */
function faultOf(text: string): 'none' | 'cut off' | 'wrong' {
  try {
    JSON.parse(text)
    return 'none'
  } catch (error) {
    const { message } = error as SyntaxError
    const isAtEnd = message.includes(`at position ${text.length} `)
    return isAtEnd || /^Unexpected end|^Unterminated string/.test(message) ? 'cut off' : 'wrong'
  }
}
