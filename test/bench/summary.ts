import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { type Alone, aloneTable } from './alone.ts'
import { type Backlog, backlogTable } from './backlog.ts'
import { type Baseline, baselineTable, bestRate } from './baseline.ts'
import { type Comparison, comparisonTable } from './compare.ts'
import { type Fairness, fairnessTable } from './fairness.ts'
import { shown, type Table, type Target } from './figures.ts'
import { type Growth, growthTable } from './growth.ts'
import { type Intake, intakeTable, percent } from './intake.ts'
import { type Soak, soakTables } from './soak.ts'
import { type Stock, stockTable } from './stock.ts'
import { type Memory, memoryTable, type Whole, wholeTables } from './whole.ts'

/** All that a run found out; the parts that did not run are absent. */
export type Findings = {
  date: string
  machine: string
  postgres: string
  quick: boolean
  /** At the beginning and at the end. */
  baselines: Baseline[]
  intake?: Intake
  whole?: Whole
  fairness?: Fairness
  backlog?: Backlog
  growth?: Growth
  memory?: Memory
  soak?: Soak
  alone?: Alone
  stock?: Stock
  comparison?: Comparison
}

/** The figures that have goals, as far as they were measured. */
function targetsOf({ baselines, intake, whole, fairness, backlog, memory, alone }: Findings): Target[] {
  const plain = bestRate(baselines)
  const targets: Target[] = []
  const intakeAt64 = intake?.find(({ accounts, connections }) => accounts === 1 && connections === 64)
  if (intakeAt64) {
    const value = intakeAt64.perSecond / plain
    targets.push({ what: 'intake, one account, 64 connections', value, unit: 'B', least: 2.2 })
  }
  if (whole) {
    const bestOf = (count: number) =>
      Math.max(...whole.closed.filter((way) => way.accounts === count).map((way) => way.perSecond)) / plain
    targets.push({ what: 'whole orders, one account', value: bestOf(1), unit: 'B', least: 0.7 })
    targets.push({ what: 'whole orders, 50 accounts', value: bestOf(50), unit: 'B', least: 0.85 })
    const quarter = whole.rates.find(({ accounts, share }) => accounts === 1 && share === 0.25)
    const value = quarter?.latencies.p95 ?? Number.NaN
    targets.push({ what: 'whole way at B/4, one account, p95', value, unit: 'ms', most: 60 })
  }
  if (fairness) {
    const what = 'p95 beside five hanging receivers, by p95 without'
    targets.push({ what, value: fairness.ratio, unit: '', most: 1.2 })
  }
  if (memory) {
    targets.push({ what: 'memory of the API', value: memory.api, unit: 'MB', most: 220 })
    targets.push({ what: 'memory of the worker', value: memory.worker, unit: 'MB', most: 220 })
  }
  targets.push(...(backlog?.targets ?? []))
  for (const { offered, latencies, costs, commits } of alone?.rates ?? []) {
    const at = `alone, ${offered}/s`
    if (offered === 50) {
      const cpuMs = costs.postgresMs + costs.apiMs + costs.workerMs
      targets.push({ what: `${at}: CPU of an order`, value: cpuMs, unit: 'ms', most: 9 })
      targets.push({ what: `${at}: whole way, p50`, value: latencies.p50, unit: 'ms', most: 11 })
      targets.push({ what: `${at}: commits of an order`, value: commits, unit: '', most: 9 })
    }
    const mostMs = { 100: 30, 200: 40 }[offered]
    if (mostMs !== undefined) {
      targets.push({ what: `${at}: whole way, p95`, value: latencies.p95, unit: 'ms', most: mostMs })
    }
  }
  return targets
}

/** All tables of a run, the one that matters last. */
export function tablesOf(findings: Findings): Table[] {
  const { baselines, intake, whole, fairness, backlog, growth, memory, soak, alone, stock } = findings
  const plain = bestRate(baselines)
  const tables = [baselineTable(baselines)]
  if (intake) tables.push(intakeTable(intake, plain))
  if (whole) tables.push(...wholeTables(whole, plain))
  if (fairness) tables.push(fairnessTable(fairness))
  if (backlog) tables.push(backlogTable(backlog))
  if (growth) tables.push(growthTable(growth))
  if (memory) tables.push(memoryTable(memory))
  if (soak) tables.push(...soakTables(soak))
  if (alone) tables.push(aloneTable(alone))
  if (stock) tables.push(stockTable(stock))
  if (findings.comparison) tables.push(comparisonTable(findings.comparison))
  const rows = targetRows(findings)
  if (rows.length > 0) {
    const title = `Goals (B = ${shown(plain)} calls/s of the plain function)`
    tables.push({ title, columns: targetColumns, rows })
  }
  return tables
}

const targetColumns = ['', 'measured', 'goal', 'met']

function targetRows(findings: Findings): string[][] {
  return targetsOf(findings).map((target) => {
    const isMet = 'least' in target ? target.value >= target.least : target.value <= target.most
    const goal = 'least' in target ? `at least ${target.least}` : `at most ${target.most}`
    return [target.what, `${shown(target.value)} ${target.unit}`.trim(), goal, isMet ? 'yes' : 'no']
  })
}

export function machineName(): string {
  const [cpu] = os.cpus()
  const memory = Math.round(os.totalmem() / 1e9)
  return `${os.cpus().length} × ${cpu?.model.trim()}, ${memory} GB, Linux ${os.release().split('-')[0]}, Node ${process.versions.node}`
}

const root = join(import.meta.dirname, '../..')
const marks = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const

/** Writes docs/bench.json, and the table of docs/benchmarks.md between its two marks. */
export function save(findings: Findings): void {
  const page = join(root, 'docs/benchmarks.md')
  const text = readFileSync(page, 'utf8')
  const [begin, end] = marks.map((mark) => text.indexOf(mark))
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error(`docs/benchmarks.md has no ${marks.join(' … ')}`)
  }
  writeFileSync(join(root, 'docs/bench.json'), `${JSON.stringify(findings, undefined, 2)}\n`)
  writeFileSync(page, `${text.slice(0, begin + marks[0].length)}\n${markdown(findings)}${text.slice(end)}`)
}

function markdown(findings: Findings): string {
  const { date, machine, postgres, baselines } = findings
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const share = Math.max(...loadShares(findings))
  return [
    line(targetColumns),
    line(targetColumns.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...targetRows(findings).map(line),
    `\n${date.slice(0, 10)}, ${machine}, ${postgres}. B = ${shown(bestRate(baselines))}/s: ${baselines[0]?.tool}. `,
    `The load took ${percent(share)} of the CPU at most. All figures: [bench.json](bench.json).\n`,
  ].join('')
}

function loadShares({ intake = [], whole }: Findings): number[] {
  const measured = [...intake, ...(whole?.closed ?? []), ...(whole?.rates ?? [])]
  return measured.map(({ costs }) => costs.loadShare).filter(Number.isFinite)
}
