import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the guide and of the files that it links to. */
export const docsFolder = join(import.meta.dirname, '../../../docs')

/** A page of the guide: its address, its Markdown file below `docs`, and the operations that it is about. */
export type GuidePage = { name: string; path: string; file: string; label: string; operations: string[] }

export type GuideGroup = { label: string; pages: GuidePage[] }

/** The pages of the guide in reading order. */
export const guideGroups: GuideGroup[] = [
  {
    label: 'Get started',
    pages: [
      page('quickstart', 'Quickstart', ['listGames', 'getProduct', 'placeOrder', 'getOrder']),
      page('first-webhook', 'First webhook', ['orderCompleted', 'orderFailed', 'simulateWebhook']),
      page('test-drive', 'Simulated orders', ['simulateOrder', 'getSimulatedOrder']),
      page('going-live', 'Going live'),
    ],
  },
  {
    label: 'Guides',
    pages: [
      page('authentication', 'Authentication', ['getMe']),
      page('catalog', 'Catalog', ['listGames', 'listProducts', 'listCatalog', 'getProduct']),
      page('orders', 'Orders', ['placeOrder', 'quoteOrder', 'getOrder']),
      page('idempotency', 'Idempotency', ['placeOrder']),
      page('results', 'Results', ['getOrder', 'listResults', 'listOrders', 'getOrderTimeline', 'redeliverEvent']),
      page('webhooks', 'Webhooks', [
        'orderCompleted',
        'orderFailed',
        'listEvents',
        'redeliverEvent',
        'simulateWebhook',
      ]),
      page('balance', 'Balance', ['getBalance', 'listTransactions']),
      page('reconciliation', 'Reconciliation', ['listResults', 'listOrders', 'listTransactions']),
    ],
  },
  {
    label: 'Reference',
    pages: [
      page('clients', 'Clients'),
      page('errors', 'Errors'),
      page('limits', 'Limits'),
      page('changelog', 'Changelog'),
    ],
  },
]

export const guidePages: GuidePage[] = guideGroups.flatMap(({ pages }) => pages)

/** The Markdown of a page. A list whose items are only links to programs becomes tabs that show the programs. */
export function readGuidePage({ file }: GuidePage): string {
  const text = readFileSync(join(docsFolder, file), 'utf8')
  return text.replace(/^- \[[^\]]+\]\((\.\.\/\w+\/\w+\.(\w+))\)$/gm, (_link, program, language) => {
    const code = readFileSync(join(docsFolder, 'guide', program), 'utf8')
    return `\`\`\`${language} ${program} tab\n${code}\`\`\``
  })
}

// The first page is the guide's own address.
function page(name: string, label: string, operations: string[] = []): GuidePage {
  const path = name === 'quickstart' ? '/docs' : `/docs/${name}`
  return { name, path, file: `guide/${name}.md`, label, operations }
}
