import type { Examples } from '../types.ts'

declare global {
  interface JSON {
    /** A number with all its digits: what JSON.stringify writes as it stands. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** An amount as the API writes it: a JSON number with two decimals. */
export const money = (amount: number) => JSON.rawJSON(amount.toFixed(2))

/** Examples of a body by their titles. */
export function bodies(values: { [title: string]: unknown }): Examples {
  return Object.fromEntries(Object.entries(values).map(([title, value]) => [title, { value }]))
}

/** Examples of a success by their titles; each value is the `data`. */
export function answers(values: { [title: string]: unknown }): Examples {
  const whole = Object.entries(values).map(([title, data]) => [title, { success: true, data }])
  return bodies(Object.fromEntries(whole))
}
