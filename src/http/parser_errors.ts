import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorName, errorOf } from './errors.ts'
import { newRequestId } from './middleware/request_id.ts'
import { jsonLine } from './reply.ts'

const closeAfterMs = 1_000

const names: { [code: string]: ErrorName } = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/**
 * Answers what the HTTP parser refuses (400, 413, 408, 431) with the usual envelope and headers, and closes the
 * connection. A client that hung up or already has its answer gets none. Complete requests before the malformed one get
 * their own answers first: an order that was placed must not seem refused.
 */
export function answerParserErrors(server: Server): void {
  const open = new WeakMap<Duplex, Set<ServerResponse>>()
  const answered = new WeakSet<Duplex>()
  server.on('request', (request, response) => {
    const responses = open.get(request.socket) ?? new Set()
    open.set(request.socket, responses.add(response))
    const forget = () => responses.delete(response)
    response.once('close', () => (request.complete ? forget() : request.once('end', forget)))
  })
  server.on('connect', (_, socket) => {
    // Node takes its own listener off, and an error without one ends the process.
    socket.on('error', () => socket.destroy())
    endWith(socket, 'MALFORMED_HTTP')
  })
  server.on('clientError', async (error: NodeJS.ErrnoException, socket) => {
    if (answered.has(socket)) return
    const responses = [...(open.get(socket) ?? [])]
    const isAnswered = () => responses.some(({ req, headersSent }) => !req.complete && headersSent)
    if (!socket.writable || isAnswered() || error.code === 'ECONNRESET') return void socket.destroy()
    answered.add(socket)
    const whole = responses.filter(({ req, writableFinished }) => req.complete && !writableFinished)
    await Promise.all(whole.map((response) => new Promise((resolve) => response.once('close', resolve))))
    if (isAnswered()) return void socket.end()
    endWith(socket, names[error.code ?? ''] ?? 'MALFORMED_HTTP')
  })
}

function endWith(socket: Duplex, name: ErrorName): void {
  socket.end(rawAnswer(name))
  // If the connection closed while the client still sends, the client would not see the answer.
  const timer = setTimeout(() => socket.destroy(), closeAfterMs)
  socket.once('close', () => clearTimeout(timer))
}

function rawAnswer(name: ErrorName): string {
  const { status, body } = errorOf(name)
  const json = jsonLine(JSON.stringify(body))
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(json)}`,
    `X-Request-Id: ${newRequestId()}`,
    'X-Api-Version: 1',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    json,
  ].join('\r\n')
}
