import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorName, errorOf } from './errors.ts'
import { newRequestId } from './request_id.ts'

const lingerMs = 1_000

const names: { [code: string]: ErrorName } = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BODY_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/**
 * Answers what the HTTP parser refuses (400, 413, 408, 431) with the same envelope and headers as everything else, and
 * closes the connection. A client that has gone, or that has its answer already, gets none.
 */
export function answerParserErrors(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>()
  const answered = new WeakSet<Duplex>()
  server.on('request', (request, response) => responses.set(request.socket, response))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const current = responses.get(socket)
    const underWay = current?.headersSent === true && !current.writableFinished
    if (answered.has(socket)) return
    if (!socket.writable || underWay || error.code === 'ECONNRESET') return void socket.destroy()
    answered.add(socket)
    socket.end(rawAnswer(names[error.code ?? ''] ?? 'MALFORMED_HTTP'))
    // Closing while the client still sends would take the answer away from it.
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  })
}

function rawAnswer(name: ErrorName): string {
  const { status, body } = errorOf(name)
  const json = JSON.stringify(body)
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
