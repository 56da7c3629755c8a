import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of what people read; what the guide links to lies in it. */
export const docsFolder = join(import.meta.dirname, '../../../../docs')

/** A page of the guide: its address, and its Markdown by the path below `docs`. */
export type GuidePage = { name: string; path: string; file: string; label: string }

export type GuideGroup = { label: string; pages: GuidePage[] }

/** The pages of the guide, in the order in which they are read. */
export const guideGroups: GuideGroup[] = [
  group('Begin', {
    quickstart: 'Quickstart',
    'first-webhook': 'Your first webhook',
    'test-drive': 'A test drive',
    'going-live': 'Going live',
  }),
  group('Build', {
    authentication: 'Authentication',
    catalog: 'Catalog',
    orders: 'Orders',
    idempotency: 'Idempotency',
    results: 'Results',
    webhooks: 'Webhooks',
    balance: 'Balance',
    reconciliation: 'Reconciliation',
  }),
  group('Look up', { errors: 'Errors', limits: 'Limits', changelog: 'Changelog' }),
]

export const guidePages: GuidePage[] = guideGroups.flatMap(({ pages }) => pages)

/** The Markdown of a page. */
export function readGuidePage({ file }: GuidePage): string {
  return readFileSync(join(docsFolder, file), 'utf8')
}

// The first page is the guide's own address.
function group(label: string, labels: { [name: string]: string }): GuideGroup {
  const pages = Object.entries(labels).map(([name, label]) => ({
    name,
    path: name === 'quickstart' ? '/docs' : `/docs/${name}`,
    file: `guide/${name}.md`,
    label,
  }))
  return { label, pages }
}
