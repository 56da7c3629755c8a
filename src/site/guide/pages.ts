import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of what people read; what the guide links to lies in it. */
export const docsFolder = join(import.meta.dirname, '../../../docs')

/** A page of the guide: its address, its Markdown by the path below `docs`, and the operations that it is about. */
export type GuidePage = { name: string; path: string; file: string; label: string; operations: string[] }

export type GuideGroup = { label: string; pages: GuidePage[] }

/** The pages of the guide, in the order in which they are read. */
export const guideGroups: GuideGroup[] = [
  {
    label: 'Begin',
    pages: [
      page('quickstart', 'Quickstart', ['listGames', 'getProduct', 'placeOrder', 'getOrder']),
      page('first-webhook', 'Your first webhook', ['orderCompleted', 'orderFailed', 'simulateWebhook']),
      page('test-drive', 'A test drive', ['simulateOrder', 'getSimulatedOrder']),
      page('going-live', 'Going live'),
    ],
  },
  {
    label: 'Build',
    pages: [
      page('authentication', 'Authentication'),
      page('catalog', 'Catalog', ['listGames', 'listProducts', 'getProduct']),
      page('orders', 'Orders', ['placeOrder', 'quoteOrder', 'getOrder']),
      page('idempotency', 'Idempotency', ['placeOrder']),
      page('results', 'Results', [
        'getOrder',
        'listResults',
        'listOrders',
        'getOrderTimeline',
        'redeliverEvent',
      ]),
      page('webhooks', 'Webhooks', ['orderCompleted', 'orderFailed', 'redeliverEvent', 'simulateWebhook']),
      page('balance', 'Balance', ['getBalance', 'listTransactions']),
      page('reconciliation', 'Reconciliation', ['listResults', 'listOrders', 'listTransactions']),
    ],
  },
  {
    label: 'Look up',
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
