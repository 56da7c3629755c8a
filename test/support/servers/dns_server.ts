import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'

/** What the server says about one type of records: addresses, or no good answer. `silent` never answers. */
type DnsAnswer = string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silent'

/** A name's records. A family left out has none; `cname` is followed within the zone, as a resolver does. */
export type DnsEntry = {
  a?: DnsAnswer
  aaaa?: DnsAnswer
  cname?: string
  /** How long answers take, of all families or of one. */
  delayMs?: number | { a?: number; aaaa?: number }
}

export type DnsServer = {
  /** For DNS_SERVERS and `createResolver`: 127.0.0.1 and a port. */
  address: string
  /** Every query so far, with the name as asked. */
  queries: { name: string; type: 'A' | 'AAAA' | 'other' }[]
  /** Sets or replaces a name's records. A name that was never set is NXDOMAIN. */
  set(name: string, entry: DnsEntry): void
  close(): Promise<void>
}

const types = { 1: 'A', 28: 'AAAA' } as const
const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3 } as const

/** Starts a scripted DNS server on UDP at 127.0.0.1. */
export async function startDnsServer(entries: Record<string, DnsEntry> = {}): Promise<DnsServer> {
  const zone = new Map(Object.entries(entries).map(([name, entry]) => [canonical(name), entry]))
  const queries: DnsServer['queries'] = []
  const socket = createSocket('udp4')
  socket.on('message', (message, peer) => {
    const question = readQuestion(message)
    queries.push({ name: question.name, type: question.type })
    const reply = answerTo(message, question, zone)
    if (reply === 'silent') return
    const send = () => socket.send(reply, peer.port, peer.address, () => {})
    const delayMs = delayOf(question, zone.get(canonical(question.name)))
    if (delayMs === 0) send()
    else setTimeout(send, delayMs).unref()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    set: (name, entry) => zone.set(canonical(name), entry),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}

type Question = { name: string; type: 'A' | 'AAAA' | 'other'; end: number }

function readQuestion(message: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  const type = message.readUInt16BE(at + 1)
  return { name: labels.join('.'), type: type === 1 || type === 28 ? types[type] : 'other', end: at + 5 }
}

function answerTo(message: Buffer, question: Question, zone: Map<string, DnsEntry>): Buffer | 'silent' {
  const records: Buffer[] = []
  let name = canonical(question.name)
  let entry = zone.get(name)
  while (entry?.cname !== undefined) {
    records.push(record(name, 5, encodeName(entry.cname)))
    name = canonical(entry.cname)
    entry = zone.get(name)
  }
  if (entry === undefined) return response(message, question, 'NXDOMAIN', records)
  const answer = (question.type === 'A' ? entry.a : question.type === 'AAAA' ? entry.aaaa : []) ?? []
  if (answer === 'silent') return 'silent'
  if (typeof answer === 'string') return response(message, question, answer, records)
  const type = question.type === 'A' ? 1 : 28
  records.push(...answer.map((address) => record(name, type, encodeAddress(address))))
  return response(message, question, 'NOERROR', records)
}

function delayOf({ type }: Question, entry: DnsEntry | undefined): number {
  const delay = entry?.delayMs ?? 0
  if (typeof delay === 'number') return delay
  return (type === 'A' ? delay.a : type === 'AAAA' ? delay.aaaa : 0) ?? 0
}

function encodeName(name: string): Buffer {
  const labels = canonical(name)
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function encodeAddress(address: string): Buffer {
  return Buffer.from(ipaddr.parse(address).toByteArray())
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt32BE(60, 4)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([encodeName(name), fixed, data])
}

function response(message: Buffer, question: Question, rcode: keyof typeof rcodes, records: Buffer[]): Buffer {
  const header = Buffer.alloc(12)
  message.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | rcodes[rcode], 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, message.subarray(12, question.end), ...records])
}
