import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { magicPlayerIds, otherPlayerIds } from '../../src/simulation/scenarios.ts'
import { openApiDocument } from '../../src/site/openapi/document.ts'
import { guideText } from './guide_text.ts'

const guide = guideText('test-drive')
const specification = readFileSync(join(import.meta.dirname, '../../docs/specification.md'), 'utf8')
const rows = [
  `| any other | ${otherPlayerIds.what} |`,
  ...magicPlayerIds.map(({ digits, what }) => `| ends with \`${digits}\` | ${what} |`),
]

test('the guide has the player ids that simulated orders know, and no others', () => {
  expect(guide.match(/^\| (any other|ends with `\d\d`) \| .*$/gm)).toEqual(rows)
})

test('the reference has them, too', () => {
  const { description } = openApiDocument().paths['/simulation/orders']?.post ?? {}
  for (const row of rows) expect(description).toContain(row)
})

test('the simulated supplier of the specification has the same', () => {
  const named = [...specification.matchAll(/^\| `…(\d\d)` \| /gm)].map(([, digits]) => digits)
  expect(named).toEqual(magicPlayerIds.map(({ digits }) => digits))
})
