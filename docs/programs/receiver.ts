// Receives webhooks: node receiver.ts, with verify.ts beside it. Node 24 or newer.
// The secret is in WEBHOOK_SECRET, or in the file that WEBHOOK_SECRET_FILE names, which is read
// again for each event and may come later. PORT (4100), HOST (127.0.0.1) and EVENTS (events.db,
// which holds keys) may be given too.
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { verify } from './verify.ts'

const { HOST = '127.0.0.1', PORT = '4100', EVENTS = 'events.db' } = process.env
const { WEBHOOK_SECRET, WEBHOOK_SECRET_FILE } = process.env
const largestBody = 10 * 1024 * 1024 // the keys of an order come in one body

process.umask(0o077)
const database = new DatabaseSync(EVENTS, { timeout: 5_000 })
database.exec('create table if not exists events (id text primary key, body blob not null)')
const insert = database.prepare('insert into events values (?, ?) on conflict do nothing')

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error) => {
      console.error(`not stored: ${error}`)
      response.writeHead(503).end() // so that the service sends it again
    },
  )
})
server.requestTimeout = 30_000
server.listen(Number(PORT), HOST, () => console.log(`listening on http://${HOST}:${PORT}`))

/** Returns the status to answer with. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size <= largestBody) chunks.push(chunk)
  }
  if (size > largestBody) return 413
  const rawBody = Buffer.concat(chunks)

  const secret = readSecret()
  if (secret === '') return 503 // no secret yet: the service sends the event again
  const header = (name: string) => request.headersDistinct[name]?.[0]
  const [timestamp, signature] = [header('x-webhook-timestamp'), header('x-webhook-signature')]
  if (!verify(secret, timestamp, signature, rawBody)) return 401
  const event = JSON.parse(rawBody.toString('utf8'))
  if (event.event_id !== header('x-idempotency-key')) return 401

  // It is stored before the answer. What it causes is for a job of yours that reads the table.
  const isNew = insert.run(event.event_id, rawBody).changes === 1
  if (isNew) console.log(`${event.event_type} ${JSON.stringify(event.data, withoutCodes)}`)
  return 200
}

function readSecret(): string {
  if (WEBHOOK_SECRET_FILE === undefined) return WEBHOOK_SECRET ?? ''
  return existsSync(WEBHOOK_SECRET_FILE) ? readFileSync(WEBHOOK_SECRET_FILE, 'utf8').trim() : ''
}

function withoutCodes(name: string, value: unknown): unknown {
  return name === 'cdKeys' ? undefined : value
}
