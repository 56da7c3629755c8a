import type { OrderEvent } from '../../client/index.ts'
import { cardParts } from '../../messages/cards.ts'
import { type Colour, painter, printable, timeOfDay } from '../terminal_text.ts'
import type { Received } from './journal.ts'

/**
 * Describes a delivery for a terminal, in two lines: time, type, order code, verified or not, new or not and the
 * status answered; below, what the event says or what was wrong. Keys are counted and never shown. `colours` adds
 * colours; control characters from outside are taken out.
 */
export function describeReceived(received: Received, { colours }: { colours: boolean }): string {
  const paint = painter(colours)
  const { event, problem, status } = received
  const type = (event?.event_type ?? '-').padEnd(15)
  const code = printable(event?.data.orderCode ?? '-').padEnd(36)
  const trust = trustOf(received)
  const fields = [
    timeOfDay(received.at),
    paint(event?.event_type === 'order.failed' ? 'red' : 'green', type),
    code,
    paint(trust.colour, trust.text.padEnd(10)),
    noveltyOf(received).padEnd(12),
    status === null ? paint('yellow', 'no answer') : paint(status < 300 ? 'green' : 'red', `${status}`),
  ]
  const details = [event === null ? null : contentOf(event), problem === null ? null : printable(problem)]
  const below = details.filter((detail) => detail !== null).map((detail) => `\n          ${paint('dim', detail)}`)
  return fields.join('  ') + below.join('')
}

/** Sums a session up in one line. */
export function describeSession(received: readonly Received[]): string {
  const count = (fits: (one: Received) => boolean) => received.filter(fits).length
  const total = received.length === 1 ? '1 delivery' : `${received.length} deliveries`
  const parts = [
    [count(({ verified }) => verified === true), 'verified'],
    [count(({ verified }) => verified === 'unknown'), 'unverified'],
    [count(({ verified }) => verified === false), 'rejected'],
    [count(({ duplicate }) => duplicate), 'duplicate'],
  ] as const
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`)
  return told.length === 0 ? total : `${total}: ${told.join(', ')}`
}

function trustOf({ verified }: Received): { text: string; colour: Colour } {
  if (verified === true) return { text: 'verified', colour: 'green' }
  if (verified === 'unknown') return { text: 'unverified', colour: 'yellow' }
  return { text: 'REJECTED', colour: 'red' }
}

function noveltyOf({ duplicate, delivery }: Received): string {
  if (delivery === 0) return '-'
  if (duplicate) return 'duplicate'
  return delivery === 1 ? 'new' : `delivery ${delivery}`
}

function contentOf({ data }: OrderEvent): string {
  const order = `${printable(data.externalOrderId)} · ${data.totalAmount.toFixed(2)}`
  if (data.status === 'failed') return `${order} · ${printable(data.reason ?? 'no reason given')}`
  const items = data.items.map(({ amount, productName, cdKeys }) => {
    const keys =
      cdKeys === undefined ? '' : ` (${cdKeys.length} ${cdKeys.length === 1 ? 'key' : 'keys'}${partsOf(cdKeys)})`
    return `${amount} × ${printable(productName)}${keys}`
  })
  return `${order} · ${items.join(', ')}`
}

/** Names the parts that the keys have, such as ` with pin, expiresAt`. */
function partsOf(keys: readonly object[]): string {
  const parts = cardParts.filter((part) => keys.some((key) => part in key))
  return parts.length === 0 ? '' : ` with ${parts.join(', ')}`
}
