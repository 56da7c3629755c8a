import * as v from 'valibot'
import { orderCode } from '../schemas.ts'

declare global {
  interface JSON {
    /** A number with all its digits: what JSON.stringify writes as it stands. */
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** An amount as the API writes it: a JSON number with two decimals. */
export const amount = (value: number) => JSON.rawJSON(value.toFixed(2))

/** The description of a field, and its example in the OpenAPI document. */
const about = <Type>(description: string, example?: unknown) =>
  v.metadata<Type, Record<string, unknown>>({ description, ...(example !== undefined && { examples: [example] }) })

/**
 * The parts of the models. The models describe what SQL renders; the tests check every answer against them. The OpenAPI
 * document composes its examples of those of the fields: a text and an amount need one (`compose` in src/site/openapi).
 */

export const text = (description: string, example?: string) => v.pipe(v.string(), about(description, example))
export const url = (description: string, example?: string) => v.pipe(v.string(), v.url(), about(description, example))
export const uuid = (description: string, example?: string) => v.pipe(v.string(), v.uuid(), about(description, example))
export const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description))
export const code = (description: string) =>
  v.pipe(orderCode, about(description, 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'))
export const flag = (description: string, example?: boolean) => v.pipe(v.boolean(), about(description, example))
export const money = (description: string, example?: number) =>
  v.pipe(v.number(), about(`${description} At most two decimals.`, example === undefined ? example : amount(example)))
export const wholeNumber = (description: string, min = 0, example?: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), about(description, example))
export const listOf = <Schema extends v.GenericSchema>(entries: Schema, description: string, example?: unknown[]) =>
  v.pipe(v.array(entries), about(description, example))
export const oneOf = <const Values extends readonly string[]>(
  values: Values,
  description: string,
  example?: Values[number],
) => v.pipe(v.picklist(values), about(description, example))

export const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), about('ISO 4217.', 'RUB'))

/** A page of a list, and where the next one begins. */
export const pagination = v.object({
  limit: wholeNumber('The limit of the request.', 1, 20),
  nextCursor: v.nullable(text('The `cursor` of the next page; `null` on the last page.')),
  hasMore: flag('True if there is a next page.'),
})
