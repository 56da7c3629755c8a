import { expect, onTestFailed, test } from 'vitest'
import { hasWarehousePrograms } from '../support/warehouse.ts'
import { runStorm } from './storm.ts'

// The short form of `npm run storm`; a fixed seed, so that operations and faults are the same each time.
test('a short storm of faults leaves no difference between what partners were told and what is there', async () => {
  const lines: string[] = []
  // Where it ends by its time-out, these say how far it came.
  onTestFailed(() => console.error(lines.join('\n')))
  const report = await runStorm({
    seed: 12,
    seconds: 6,
    partners: 16,
    apis: 2,
    workers: 2,
    pauseMs: 600,
    faultMs: 500,
    say: (line) => void lines.push(line),
  })
  expect(report.differences(), lines.join('\n')).toEqual([])
  const copied = hasWarehousePrograms ? ['rows of the warehouse: ledger', 'rows of the warehouse: results'] : []
  for (const what of ['orders acknowledged', 'webhooks', 'looks at the audit', 'faults', ...copied]) {
    expect(report.counted(what), what).toBeGreaterThan(0)
  }
}, 600_000)
