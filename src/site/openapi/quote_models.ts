import * as v from 'valibot'
import { balanceError, detail, priceError } from './error_models.ts'
import { currency, money, text, wholeNumber } from './model_parts.ts'

/** A part of a quote, in the order of the request. */
export const quoteItem = v.object({
  productId: v.pipe(v.number(), v.integer(), v.description('As in the request.')),
  productName: v.nullable(text('The product’s name; `null`: there is no such product in your currency.')),
  quantity: wholeNumber('As in the request; 1 unless given.', 1),
  price: v.nullable(money('What one costs now; `null` where the product is not known.')),
  total: v.nullable(money('`price × quantity`.')),
  available: v.pipe(v.boolean(), v.description('Whether the product can be ordered now.')),
})

/** What the order would be answered with. */
export const quoteRefusal = v.object({
  status: v.pipe(
    v.picklist([400, 402, 422]),
    v.description('The status of the answer that the order would get.'),
  ),
  error: text('Its `error`, for people.'),
  code: text('Its `code`.'),
  details: v.pipe(
    v.union([v.array(v.union([priceError.entries.details.item, detail])), balanceError.entries.details]),
    v.description(
      'Its `details`: the fields at fault; of a 402, what there is and what the order would cost.',
    ),
  ),
})

/** The answer to POST /b2b/orders/quote. */
export const quote = v.object({
  items: v.array(quoteItem),
  totalAmount: v.nullable(
    money('What the order would cost: the sum of the items. `null` where a product is not known.'),
  ),
  currency,
  balance: money('What can be spent now.'),
  balanceAfter: v.nullable(money('`balance` less `totalAmount`; negative where it does not suffice.')),
  wouldBeRefused: v.pipe(
    v.nullable(quoteRefusal),
    v.description(
      '`null`: the order would be accepted. Otherwise the first of the checks that it would fail.',
    ),
  ),
})
