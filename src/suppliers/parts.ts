import * as v from 'valibot'

/** The parts of the schemas of answers. No message repeats a value, because values may be keys. */

export const text = v.string('must be a string')
export const number = v.number('must be a number')
export const count = v.pipe(number, v.safeInteger('must be an integer'), v.minValue(1, 'must be 1 or more'))
export const optionalText = v.nullish(text, null)
export const list = <Item extends v.GenericSchema>(item: Item) => v.array(item, 'must be an array')
export const object = <Entries extends v.ObjectEntries>(entries: Entries) => v.object(entries, 'must be an object')
