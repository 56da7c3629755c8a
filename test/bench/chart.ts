/** Latencies in milliseconds at a load. */
export type Point = { x: number; p50: number; p95: number; p99: number }

const width = 760
const height = 420
const plot = { left: 64, right: 700, top: 56, bottom: 356 }
const series = ['p50', 'p95', 'p99'] as const

// The colours hold on either ground, and who sees no colours has the names at the ends of the lines and their dashes.
const style = `
  .ground { fill: #ffffff } .text { fill: #24292f } .faint { fill: #57606a } .grid { stroke: #d0d7de }
  .p50 { stroke: #0969da } .p95 { stroke: #bc4c00 } .p99 { stroke: #8250df }
  .dot.p50, .name.p50 { fill: #0969da } .dot.p95, .name.p95 { fill: #bc4c00 } .dot.p99, .name.p99 { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d }
    .p50 { stroke: #58a6ff } .p95 { stroke: #f0883e } .p99 { stroke: #bc8cff }
    .dot.p50, .name.p50 { fill: #58a6ff } .dot.p95, .name.p95 { fill: #f0883e } .dot.p99, .name.p99 { fill: #bc8cff }
  }
  text { font: 13px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  .line { fill: none; stroke-width: 2 } .line.p95 { stroke-dasharray: 6 3 } .line.p99 { stroke-dasharray: 2 3 }
  .name { stroke: none; font-weight: 600 } .dot { stroke: none }`

/** Draws p50, p95 and p99 over the load as an SVG; the points in the order of x. Milliseconds on a logarithmic scale. */
export function latencyChart(title: string, xTitle: string, points: readonly Point[]): string {
  const marks = scaleMarks(points.flatMap((point) => series.map((name) => point[name])))
  const [low, high] = [Math.log(marks[0] ?? 1), Math.log(marks.at(-1) ?? 10)]
  const xMax = Math.max(0.1, Math.ceil(Math.max(...points.map(({ x }) => x)) * 10) / 10)
  const xOf = (x: number) => plot.left + (x / xMax) * (plot.right - plot.left)
  const yOf = (ms: number) => plot.bottom - ((Math.log(ms) - low) / (high - low)) * (plot.bottom - plot.top)

  const parts: string[] = []
  for (const mark of marks) {
    parts.push(line(plot.left, yOf(mark), plot.right, yOf(mark)))
    parts.push(text('faint', plot.left - 8, yOf(mark) + 4, label(mark), 'end'))
  }
  const step = xMax > 0.6 ? 0.2 : 0.1
  for (let x = 0; x <= xMax + 1e-9; x += step) {
    parts.push(line(xOf(x), plot.bottom, xOf(x), plot.bottom + 5))
    parts.push(text('faint', xOf(x), plot.bottom + 20, `${x.toFixed(1)} B`, 'middle'))
  }
  for (const name of series) {
    const path = points.map((point) => `${coordinate(xOf(point.x))},${coordinate(yOf(point[name]))}`)
    parts.push(`<polyline class="line ${name}" points="${path.join(' ')}"/>`)
    for (const dot of path) {
      const [cx, cy] = dot.split(',')
      parts.push(`<circle class="dot ${name}" cx="${cx}" cy="${cy}" r="3"/>`)
    }
  }
  parts.push(...names(points.at(-1), xOf, yOf))
  parts.push(text('text title', plot.left, 26, title, 'start'))
  parts.push(text('faint', plot.left, 44, 'milliseconds from the planned POST to the webhook', 'start'))
  parts.push(text('faint', (plot.left + plot.right) / 2, plot.bottom + 46, xTitle, 'middle'))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${style}\n</style>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n')
}

/** The names of the lines at their ends, moved apart where they would lie on one another. */
function names(last: Point | undefined, xOf: (x: number) => number, yOf: (ms: number) => number): string[] {
  if (last === undefined) return []
  let above = Number.POSITIVE_INFINITY
  return series.map((name) => {
    const y = Math.min(yOf(last[name]) + 4, above - 15)
    above = y
    return text(`name ${name}`, xOf(last.x) + 9, y, name, 'start')
  })
}

/** Marks of 1, 2 and 5 times powers of ten around the values. */
function scaleMarks(values: readonly number[]): number[] {
  const usable = values.filter((value) => Number.isFinite(value) && value > 0)
  const [min, max] = [Math.min(...usable, 100), Math.max(...usable, 10)]
  const marks: number[] = []
  for (let power = -1; power <= 9; power += 1) {
    for (const digit of [1, 2, 5]) marks.push(digit * 10 ** power)
  }
  const first = marks.findLastIndex((mark) => mark <= min)
  const last = marks.findIndex((mark) => mark >= max)
  return marks.slice(Math.max(0, first), last < 0 ? undefined : last + 1)
}

function label(ms: number): string {
  return ms >= 1_000 ? `${(ms / 1_000).toLocaleString('en-US')} s` : `${Number(ms.toPrecision(2))} ms`
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  const at = [x1, y1, x2, y2].map(coordinate)
  return `<line class="grid" x1="${at[0]}" y1="${at[1]}" x2="${at[2]}" y2="${at[3]}"/>`
}

function text(className: string, x: number, y: number, content: string, anchor: string): string {
  return `<text class="${className}" x="${coordinate(x)}" y="${coordinate(y)}" text-anchor="${anchor}">${escapeText(content)}</text>`
}

const coordinate = (value: number) => String(Math.round(value * 10) / 10)

const escapeText = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
