import * as v from 'valibot'
import { orderCode } from '../schemas.ts'

/** The parts of the models. The models describe what SQL renders; the tests check every answer against them. */

export const text = (description: string) => v.pipe(v.string(), v.description(description))
export const url = (description: string) => v.pipe(v.string(), v.url(), v.description(description))
export const uuid = (description: string) => v.pipe(v.string(), v.uuid(), v.description(description))
export const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description))
export const code = (description: string) => v.pipe(orderCode, v.description(description))
export const flag = (description: string) => v.pipe(v.boolean(), v.description(description))
export const money = (description: string) => v.pipe(v.number(), v.description(`${description} At most two decimals.`))
export const wholeNumber = (description: string, min = 0) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.description(description))
export const listOf = <Schema extends v.GenericSchema>(entries: Schema, description: string) =>
  v.pipe(v.array(entries), v.description(description))
export const oneOf = <const Values extends string[]>(values: Values, description: string) =>
  v.pipe(v.picklist(values), v.description(description))

export const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), v.description('ISO 4217.'))
export const eventTypes: ['order.completed', 'order.failed'] = ['order.completed', 'order.failed']

/** A page of a list, and where the next one begins. */
export const pagination = v.object({
  limit: wholeNumber('The limit of the request.', 1),
  nextCursor: v.nullable(text('The `cursor` of the next page; `null` on the last page.')),
  hasMore: flag('True if there is a next page.'),
})
