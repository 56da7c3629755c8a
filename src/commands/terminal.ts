import type { LogLevel } from '../config.ts'
import { painter, printable, timeOfDay } from '../demo/terminal_text.ts'
import { connectOperator } from './connections.ts'
import { createOrderStories, type OrderStories } from './order_stories.ts'

/** Standard output where it is a terminal: people read it, not programs. */
export type Terminal = {
  /** Takes the lines of the log and writes what people want of them. */
  log: { write(line: string): void }
  /** Writes one line about work that takes a while: what it is, and at its end what was done. */
  progress(what: string): { step(line: string, isWait?: boolean): void; done(): void }
  /** Tells of new orders, by the operators' URL of the database. */
  tellStories(databaseUrl: string): OrderStories
}

/** The terminal of this process; undefined where standard output is a file or a pipe. */
export function openTerminal(logLevel: LogLevel): Terminal | undefined {
  const { stdout } = process
  if (!stdout.isTTY) return undefined
  // By NO_COLOR, FORCE_COLOR and what the terminal can do.
  const colours = stdout.hasColors()
  const print = (line: string) => void stdout.write(`${line}\n`)
  return {
    log: {
      write: (line) => {
        const text = recordLine(line, { colours, all: logLevel === 'debug' || logLevel === 'trace' })
        if (text !== undefined) print(text)
      },
    },
    progress: (what) => {
      let steps = 0
      stdout.write(`${what} … `)
      return {
        step: (line, isWait = false) => {
          steps += 1
          // A step that waits for other sessions gets a line of its own.
          if (isWait) print(`\n${line}`)
        },
        done: () => print(steps === 0 ? 'up to date' : `done (${steps} steps)`),
      }
    },
    tellStories: (url) =>
      createOrderStories(connectOperator(url), print, () => ({ colours, columns: stdout.columns || 80 })),
  }
}

const levelColours = { warn: 'yellow', error: 'red', fatal: 'red' } as const

const toldByStories = ['request', 'supplier call', 'delivery']

/** A record of the log for people; undefined for one that the stories make superfluous, unless `all` is wanted. */
export function recordLine(line: string, { colours, all }: { colours: boolean; all: boolean }): string | undefined {
  const { level, time, pid: _, version: __, msg, ...fields } = JSON.parse(line)
  if (toldByStories.includes(msg) && level === 'info' && !all) return undefined
  const colour = levelColours[level as keyof typeof levelColours]
  const name = String(level).padEnd(11)
  const shown = colour === undefined ? name : painter(colours)(colour, name)
  const more = Object.entries(fields).map(([field, value]) => `  ${field}=${textOf(value)}`)
  return `${timeOfDay(new Date(time))}  ${shown}  ${printable([msg, ...more].join(''))}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
}
