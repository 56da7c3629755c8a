/** The parts that a supplier may give with a code, in the order in which partners read them. */
export const cardParts = ['pin', 'serial', 'url', 'expiresAt'] as const

/** A code with the parts that its supplier gave. */
export type Card = { code: string } & { [part in (typeof cardParts)[number]]?: string }

const mark = 'card:'

/** Whether a text is that of a card with parts (`cardText`). No code of a supplier or an operator may begin like one. */
export const isCardText = (text: string): boolean => text.startsWith(`${mark}{`)

/**
 * The text that stands for a card wherever the service handles codes: the code itself, or, with parts, `card:` and the
 * JSON that partners read, written as PostgreSQL writes it.
 */
export function cardText({ code, ...parts }: Card): string {
  const members = cardParts.flatMap((part) => {
    const value = parts[part]
    return value === undefined ? [] : [`"${part}" : ${JSON.stringify(value)}`]
  })
  return members.length === 0 ? code : `${mark}{"code" : ${JSON.stringify(code)}, ${members.join(', ')}}`
}

/** The card of a text that `cardText` or SQL made. */
export function cardOf(text: string): Card {
  return isCardText(text) ? JSON.parse(text.slice(mark.length)) : { code: text }
}

/** The JSON of a card, as PostgreSQL writes it in orders and events. */
export function cardJson(text: string): string {
  return isCardText(text) ? text.slice(mark.length) : `{"code" : ${JSON.stringify(text)}}`
}

/** The secret parts of cards: codes, PINs, serial numbers and addresses. */
export function secretsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const { expiresAt: _, ...secret } = cardOf(text)
    return Object.values(secret)
  })
}
