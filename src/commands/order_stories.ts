import type { Database, Functions } from '../database/client.ts'
import { codeOf, observed } from '../database/observed.ts'
import { type Colour, painter, printable, timeOfDay } from '../demo/terminal_text.ts'

type Entry = Functions['ops.order_history']['result'][number]

/** How the story of an order is printed: one line a step, on a terminal of this width. */
export type Telling = { colours: boolean; columns: number }

/** Tells the orders of a service as they go on. */
export type OrderStories = {
  /** The same database, whose new orders are printed from now on. */
  watched(db: Database): Database
  stop(): Promise<void>
}

const lookMs = 250
// Above this number, further orders are not printed.
const maxOrders = 20
const maxFollowMs = 15 * 60_000

/** Follows new orders with the operators' connection `db`, by ops.order_history; each step is a line to `print`. */
export function createOrderStories(db: Database, print: (line: string) => void, telling: () => Telling): OrderStories {
  const followed = new Map<string, { told: Set<string>; until: number }>()
  let looking = Promise.resolve()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, lookMs)

  async function look(): Promise<void> {
    const lines: { at: Date; line: string }[] = []
    for (const [code, { told, until }] of followed) {
      // A failed read is tried again at the next look.
      const entries = await db.call('ops.order_history', { reference: code }).catch(() => [])
      for (const entry of entries.filter(isSettled)) {
        const key = `${entry.at.toISOString()} ${entry.step} ${entry.detail}`
        if (told.has(key)) continue
        told.add(key)
        lines.push({ at: entry.at, line: storyLine(code, entry, telling()) })
        if (isLast(entry)) followed.delete(code)
      }
      if (Date.now() > until) followed.delete(code)
    }
    lines.sort((one, other) => one.at.getTime() - other.at.getTime())
    for (const { line } of lines) print(line)
  }

  function follow(code: string): void {
    if (followed.size < maxOrders) followed.set(code, { told: new Set(), until: Date.now() + maxFollowMs })
  }

  return {
    watched: (other) =>
      observed(other, {
        'api.place_orders': (placed) => {
          for (const { result, body } of placed) if (result === 'created') follow(codeOf(body))
        },
      }),
    stop: async () => {
      clearInterval(timer)
      followed.clear()
      await looking
      await db.end()
    },
  }
}

// A step before it implies what is left out here.
const shownSteps: Record<string, { name: string; colour: Colour }> = {
  placed: { name: 'placed', colour: 'cyan' },
  sent_to_supplier: { name: 'supplier', colour: 'yellow' },
  order_completed: { name: 'completed', colour: 'green' },
  order_failed: { name: 'failed', colour: 'red' },
  refunded: { name: 'refunded', colour: 'magenta' },
  delivery_attempt: { name: 'webhook', colour: 'red' },
  no_event: { name: 'no webhook', colour: 'cyan' },
  given_up: { name: 'dead letter', colour: 'red' },
}

const isSettled = ({ step, is_open }: Entry) => step in shownSteps && !is_open

const isLast = ({ step, outcome }: Entry) => step === 'no_event' || step === 'given_up' || outcome === 'delivered'

/** One step of an order's history. A text that is wider than the terminal continues below its beginning. */
export function storyLine(code: string, entry: Entry, { colours, columns }: Telling): string {
  const paint = painter(colours)
  const { name, colour } = shownSteps[entry.step] ?? { name: entry.what, colour: 'cyan' }
  const head = `${timeOfDay(entry.at)}  ${code.slice(0, 10)}…  `
  const step = name.padEnd(11)
  const indent = head.length + step.length + 2
  const detail = wrapped(printable(entry.detail), Math.max(20, columns - indent))
  const shown = entry.outcome === 'delivered' ? 'green' : colour
  return `${paint('dim', head)}${paint(shown, step)}  ${detail.join(`\n${' '.repeat(indent)}`)}`
}

/** The text in lines of at most so many characters, but for a word that is longer. */
function wrapped(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
