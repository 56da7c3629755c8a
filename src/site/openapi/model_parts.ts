import * as v from 'valibot'
import { orderCode } from '../../http/schemas.ts'

/** What the models of the API's answers are made of. */

export const money = (description: string) =>
  v.pipe(v.number(), v.description(`${description} At most two decimals.`))
export const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.metadata({ description }))
export const wholeNumber = (description: string, min = 0) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.metadata({ description }))
export const text = (description: string) => v.pipe(v.string(), v.metadata({ description }))
export const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), v.description('ISO 4217.'))

export const statuses = ['pending', 'processing', 'completed', 'failed'] as const
export const code = (description: string) => v.pipe(orderCode, v.metadata({ description }))
