import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { type Alone, aloneTable } from './alone.ts'
import { type Baseline, baselineTable, bestRate } from './baseline.ts'
import { latencyChart } from './chart.ts'
import { type Fairness, fairnessTable } from './fairness.ts'
import { shown, type Table } from './figures.ts'
import { type Growth, growthTable } from './growth.ts'
import { type Intake, intakeTable, percent } from './intake.ts'
import { type Soak, soakTables } from './soak.ts'
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
  growth?: Growth
  memory?: Memory
  soak?: Soak
  alone?: Alone
}

/** A figure that the service has to reach. `better` is how it grows better; an aim may be missing. */
type Target = {
  what: string
  value: number
  unit: string
  better: 'more' | 'less'
  bar: number
  aim?: number
}

/** The figures that the service has to reach, as far as they were measured. */
function targetsOf({ baselines, intake, whole, fairness, memory }: Findings): Target[] {
  const plain = bestRate(baselines)
  const call = Math.min(
    ...baselines.map(({ runs }) => runs.find(({ clients }) => clients === 1)?.p50 ?? Number.NaN),
  )
  const targets: Target[] = []
  const add = (
    what: string,
    value: number | undefined,
    unit: string,
    rest: Pick<Target, 'better' | 'bar' | 'aim'>,
  ) => {
    if (value !== undefined) targets.push({ what, value, unit, ...rest })
  }
  const ofOne = intake?.filter(({ accounts }) => accounts === 1)
  const intakeOf = (count: number) => ofOne?.find(({ connections }) => connections === count)
  const rateOf = (count: number) => (intakeOf(count)?.perSecond ?? Number.NaN) / plain
  if (intake !== undefined) {
    add('intake, one account, 64 connections', rateOf(64), 'B', { better: 'more', bar: 4.5, aim: 6 })
    add('intake, one account, 256 connections', rateOf(256), 'B', { better: 'more', bar: 6, aim: 9 })
    const post = (intakeOf(1)?.latencies.p50 ?? Number.NaN) / call
    add('unloaded POST, p50', post, 'plain calls', { better: 'less', bar: 1.8, aim: 1.3 })
  }
  const bestOf = (count: number) =>
    whole &&
    Math.max(...whole.closed.filter((way) => way.accounts === count).map((way) => way.perSecond)) / plain
  add('whole orders, one account', bestOf(1), 'B', { better: 'more', bar: 0.7 })
  add('whole orders, 50 accounts', bestOf(50), 'B', { better: 'more', bar: 0.9 })
  const quarter = whole?.rates.find(({ accounts, share }) => accounts === 1 && share === 0.25)
  add('whole way at B/4, one account, p95', quarter?.latencies.p95, 'ms', {
    better: 'less',
    bar: 60,
    aim: 30,
  })
  const besideHanging = 'p95 beside five hanging receivers, by p95 without'
  add(besideHanging, fairness?.ratio, '', { better: 'less', bar: 1.5, aim: 1.1 })
  add('memory of the API', memory?.api, 'MB', { better: 'less', bar: 220, aim: 150 })
  add('memory of the worker', memory?.worker, 'MB', { better: 'less', bar: 220, aim: 150 })
  return targets
}

/** Which of the marks a figure reached. */
function verdictOf({ value, better, bar, aim }: Target): string {
  const reaches = (mark: number) => (better === 'more' ? value >= mark : value <= mark)
  if (aim !== undefined && reaches(aim)) return 'aim'
  return reaches(bar) ? 'bar' : 'missed'
}

/** All tables of a run, the one that matters last. */
export function tablesOf(findings: Findings): Table[] {
  const { baselines, intake, whole, fairness, growth, memory, soak, alone } = findings
  const plain = bestRate(baselines)
  const tables = [baselineTable(baselines)]
  if (intake) tables.push(intakeTable(intake, plain))
  if (whole) tables.push(...wholeTables(whole, plain))
  if (fairness) tables.push(fairnessTable(fairness))
  if (growth) tables.push(growthTable(growth))
  if (memory) tables.push(memoryTable(memory))
  if (soak) tables.push(...soakTables(soak))
  if (alone) tables.push(aloneTable(alone))
  const rows = targetRows(findings)
  if (rows.length > 0) {
    const title = `What has to be reached (B = ${shown(plain)} calls/s of the plain function)`
    tables.push({ title, columns: targetColumns, rows })
  }
  return tables
}

const targetColumns = ['', 'measured', 'bar', 'aim', 'reached']

function targetRows(findings: Findings): string[][] {
  return targetsOf(findings).map((target) => {
    const { what, value, unit, bar, aim } = target
    const measured = `${shown(value)} ${unit}`.trim()
    return [what, measured, String(bar), aim === undefined ? '–' : String(aim), verdictOf(target)]
  })
}

export function machineName(): string {
  const [cpu] = os.cpus()
  const memory = Math.round(os.totalmem() / 1e9)
  return `${os.cpus().length} × ${cpu?.model.trim()}, ${memory} GB, Linux ${os.release().split('-')[0]}, Node ${process.versions.node}`
}

const root = join(import.meta.dirname, '../..')
const marks = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const

/** Writes docs/bench.json and docs/bench.svg, and the table of docs/benchmarks.md between its two marks. */
export function save(findings: Findings): void {
  const page = join(root, 'docs/benchmarks.md')
  const text = readFileSync(page, 'utf8')
  const [begin, end] = marks.map((mark) => text.indexOf(mark))
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error(`docs/benchmarks.md has no ${marks.join(' … ')}`)
  }
  writeFileSync(join(root, 'docs/bench.json'), `${JSON.stringify(findings, undefined, 2)}\n`)
  writeFileSync(join(root, 'docs/bench.svg'), chartOf(findings))
  writeFileSync(page, `${text.slice(0, begin + marks[0].length)}\n${markdown(findings)}${text.slice(end)}`)
}

// A rate at which orders were lost has no place on the picture.
const longestShown = 60_000

function chartOf(findings: Findings): string {
  const plain = bestRate(findings.baselines)
  const ways = findings.whole?.rates.filter(({ accounts }) => accounts === 1) ?? []
  const arrived = ways.filter(({ latencies }) => latencies.p99 < longestShown)
  const points = arrived.map(({ offered, latencies }) => ({ x: offered / plain, ...latencies }))
  return latencyChart(
    'Latency of whole orders over load, one account',
    `load, as a share of the plain function’s rate (B = ${shown(plain)}/s)`,
    points.toSorted((a, b) => a.x - b.x),
  )
}

function markdown(findings: Findings): string {
  const { date, machine, postgres, baselines } = findings
  const line = (cells: string[]) => `| ${cells.join(' | ')} |\n`
  const share = Math.max(...loadShares(findings))
  return [
    '![Latency of whole orders over load](bench.svg)\n\n',
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
