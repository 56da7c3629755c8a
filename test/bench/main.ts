import { fairness } from './fairness.ts'
import { printReport, type Report } from './figures.ts'
import { orders } from './orders.ts'
import { type Stage, setStage } from './stage.ts'
import { whole } from './whole.ts'

const benchmarks: { [name: string]: (stage: Stage) => Promise<Report> } = { orders, whole, fairness }

const asked = process.argv.slice(2)
const names = asked.length > 0 ? asked : Object.keys(benchmarks)
const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name))
if (unknown.length > 0) {
  console.error(
    `there is no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`,
  )
  process.exit(2)
}

const { stage, close } = await setStage()
try {
  for (const name of names) {
    const report = await benchmarks[name]?.(stage)
    await stage.clear()
    if (report !== undefined) printReport(report)
  }
} finally {
  await close()
}
process.exit(0)
