import { expect, test } from 'vitest'
import { openApiDocument } from '../../../src/site/openapi/document.ts'
import { guideText, guideTexts } from '../guide_text.ts'

const entries = guideText('changelog').split('\n## Releases\n')[1] ?? ''

test('the releases of the changelog are dated, newest first, each day once', () => {
  const dates = [...entries.matchAll(/^### (.*)$/gm)].map(
    ([, heading = '']) => heading.match(/[\d-]{10}/)?.[0] ?? heading,
  )
  expect(dates.length).toBeGreaterThan(0)
  for (const date of dates) expect(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10)).toBe(date)
  expect([...new Set(dates)].sort().reverse()).toEqual(dates)
})

test('the changelog names only routes that exist', () => {
  const paths = Object.keys(openApiDocument().paths).map((path) => path.replace(/\{(\w+)\}/g, '<$1>'))
  const named = [...entries.matchAll(/`(?:GET |POST )?(\/[^`?]*)`/g)].map(([, path]) => path)
  expect(named.length).toBeGreaterThan(8)
  expect(paths).toEqual(expect.arrayContaining(named))
})

test('the guide mentions each route that partners use', () => {
  const text = guideTexts.map((page) => page.text).join('\n')
  const used = Object.keys(openApiDocument().paths).filter((path) =>
    /^\/(b2b|simulation|reference|openapi\.json|docs$)/.test(path),
  )
  expect(used.length).toBeGreaterThan(15)
  const missing = used.filter((path) => {
    const place = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^\\s/`]+')
    return !new RegExp(`(?:[\\s\`]|\\$BASE_URL)${place}(?![\\w/.-])`).test(text)
  })
  expect(missing).toEqual([])
})
