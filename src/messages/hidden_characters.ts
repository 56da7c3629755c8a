// Control characters, and those that turn the direction of the text after them.
const hidden = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** The first character of a text that changes how others are seen, as U+202E; undefined if there is none. */
export function hiddenCharacter(text: string): string | undefined {
  const [character] = text.match(hidden) ?? []
  return character && codePointOf(character)
}

/** A text with such characters written as their code points. */
export function withoutHidden(text: string): string {
  return text.replaceAll(hidden, codePointOf)
}

function codePointOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
