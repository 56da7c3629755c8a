// Prints the page of a product as HTML, with picture, texts and price tiers, from the API alone.
// Needs Node 24.
//
//   node product_page.ts 101 ru > product.html
const { BASE_URL = 'http://127.0.0.1:3000', API_KEY = '' } = process.env
const [id, locale = 'en'] = process.argv.slice(2)
if (!/^\d+$/.test(id ?? '')) {
  console.error('usage: node product_page.ts PRODUCT-ID [LOCALE]')
  process.exit(2)
}

const response = await fetch(`${BASE_URL}/b2b/catalog/products/${id}?locale=${locale}`, {
  headers: { 'X-Api-Key': API_KEY },
  redirect: 'error', // a redirect would carry the key to another server
  signal: AbortSignal.timeout(30_000),
})
if (!response.ok) {
  console.error(`refused: HTTP ${response.status}: ${await response.text()}`)
  process.exit(1)
}
type Texts = { locale: string; description: string; redeem: string | null; terms: string | null }
type Product = {
  name: string
  imageUrl: string | null
  platform: string | null
  countries: string[] | null
  inStock: boolean
  currency: string
  wholesalePrice: number
  priceTiers: { minQuantity: number; price: number }[]
  texts: Texts | null
}
const { data } = JSON.parse(await response.text()) as { data: Product }
console.log(render(data))

/** Everything that comes from the API passes through here before it stands in the page. */
function toHtml(value: unknown): string {
  return String(value)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function render({ name, imageUrl, texts, ...product }: Product): string {
  const money = (price: number) => toHtml(`${price.toFixed(2)} ${product.currency}`)
  const isPicture = imageUrl?.startsWith('https:')
  const picture = isPicture ? `<img src="${toHtml(imageUrl)}" alt="" width="240">` : ''
  const section = (title: string, text?: string | null) =>
    text ? `<h2>${title}</h2><p class="text">${toHtml(text)}</p>` : ''
  const tiers = [{ minQuantity: 1, price: product.wholesalePrice }, ...product.priceTiers]
  const rows = tiers.map(
    ({ minQuantity, price }) => `<tr><td>${minQuantity}</td><td>${money(price)}</td></tr>`,
  )
  const stock = product.inStock ? 'in stock' : 'sold out'
  const facts = [product.platform, product.countries?.join(', '), stock]
  return `<!doctype html>
<html lang="${toHtml(texts?.locale ?? 'en')}">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${toHtml(name)}</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; }
  body { padding: 0 1rem; }
  img { max-width: 100%; border-radius: 8px; }
  .text { white-space: pre-line; }
  td, th { text-align: left; padding: 0.2rem 2rem 0.2rem 0; }
</style>
<h1>${toHtml(name)}</h1>
${picture}
<p>${toHtml(facts.filter(Boolean).join(' · '))}</p>
<table><tr><th>From</th><th>Price of one unit</th></tr>${rows.join('')}</table>
${section('Description', texts?.description)}
${section('How to redeem', texts?.redeem)}
${section('Terms', texts?.terms)}
</html>`
}
