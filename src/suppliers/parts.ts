import * as v from 'valibot'

/** The parts of the schemas of answers. No message repeats a value, because values may be keys. */

export const text = v.string('must be a string')
export const number = v.number('must be a number')
export const count = v.pipe(number, v.safeInteger('must be an integer'), v.minValue(1, 'must be 1 or more'))
export const currency = v.pipe(text, v.regex(/^[A-Z]{3}$/, 'must be a currency'))
export const optionalText = v.nullish(text, null)
export const list = <Item extends v.GenericSchema>(item: Item) => v.array(item, 'must be an array')
export const object = <Entries extends v.ObjectEntries>(entries: Entries) => v.object(entries, 'must be an object')

/** What a unit costs in the mean of all units, with at most six decimals; null if a price is not known. */
export function meanPrice(parts: readonly { price: number | null; units: number }[]): number | null {
  const sum = parts.reduce<number | null>(
    (all, { price, units }) => (all === null || price === null ? null : all + price * units),
    0,
  )
  const units = parts.reduce((all, part) => all + part.units, 0)
  return sum === null || units === 0 ? null : Number((sum / units).toFixed(6))
}
