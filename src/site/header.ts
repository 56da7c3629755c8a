/** The documents that the header of each page leads to. */
const documents = [
  { id: 'guide', path: '/docs', label: 'Guide' },
  { id: 'reference', path: '/reference', label: 'Reference' },
] as const

/** The header of each page. `current` is the document of the page; `search` is HTML at the end of the line. */
export function siteHeader(
  base: string,
  current?: (typeof documents)[number]['id'],
  { search = '' }: { search?: string } = {},
): string {
  const links = documents.map(
    ({ id, path, label }) => `<a href="${base}${path}"${id === current ? ' aria-current="true"' : ''}>${label}</a>`,
  )
  return `<header class="site"><a class="name" href="${base}/"><img src="${base}/assets/icon.svg" alt="" width="24"
height="24">Supply ordering</a><nav aria-label="Documents">${links.join('')}</nav>${search}</header>`
}
