import * as v from 'valibot'

/** What a supplier says about a product to buyers, in one locale. */
export type ShopTexts = { locale: string; description: string; redeem: string | null; terms: string | null }

const maxBytes = 8_192
const isMarkup = /<(?:[a-z][a-z0-9]*[\s/>]|\/[a-z]|!)/i
const isSafe = (text: string) =>
  text.trim() !== '' && Buffer.byteLength(text) <= maxBytes && text.isWellFormed() && !text.includes('\0')

const shopText = v.pipe(
  v.string(),
  v.check((text) => isSafe(text) && !isMarkup.test(text)),
)
const optional = v.fallback(v.nullable(shopText), null)
const textsSchema = v.object({
  locale: v.pipe(v.string(), v.regex(/^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$/)),
  description: shopText,
  redeem: optional,
  terms: optional,
})

/**
 * Reads a supplier's texts; undefined where it has none that can be shown. A text with HTML, or over 8 KiB, counts as
 * none: cut or cleaned, it would say something else.
 */
export function readShopTexts(texts: unknown): ShopTexts | undefined {
  const read = v.safeParse(textsSchema, texts)
  return read.success ? read.output : undefined
}
