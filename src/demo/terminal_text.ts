import { styleText } from 'node:util'

/** The colours that we use. */
export type Colour = 'cyan' | 'yellow' | 'green' | 'red' | 'magenta' | 'dim'

/** Gives texts a colour for a terminal; where none are wanted, it gives them back as they are. */
export function painter(colours: boolean): (colour: Colour, text: string) => string {
  return (colour, text) => (colours ? styleText(colour, text, { validateStream: false }) : text)
}

/** The time of day by this machine's clock, as 09:05:07. */
export function timeOfDay(at: Date): string {
  return at.toTimeString().slice(0, 8)
}

/** A text from outside without what could steer the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '?')
}
