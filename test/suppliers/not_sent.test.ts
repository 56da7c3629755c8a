import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createSupplierHttp, type SupplierHttp } from '../../src/suppliers/exchange.ts'
import { type RawServer, startRawServer } from '../support/servers/raw_server.ts'

const pem = (name: string) => readFileSync(new URL(`../webhooks/fixtures/${name}`, import.meta.url), 'utf8')

let supplier: RawServer
let http: SupplierHttp
let ours: Socket | undefined
let asked: PromiseWithResolvers<void>

const keep = (message: unknown) => {
  ours = (message as { socket: Socket }).socket
}

beforeEach(async () => {
  asked = Promise.withResolvers()
  supplier = await startRawServer({ onRequest: () => asked.resolve() })
  http = createSupplierHttp({ timeoutMs: 30_000 })
  subscribe('undici:client:connected', keep)
})
afterEach(async () => {
  unsubscribe('undici:client:connected', keep)
  await http.close()
  await supplier.close()
})

// A system says this also of a connection that it made, once the way there is lost.
it.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED'])(
  'a request may have been sent where its connection was made before it ended by %s',
  async (code) => {
    const url = new URL(`http://127.0.0.1:${supplier.port}/orders`)
    const exchange = http.request({ method: 'POST', url, headers: {}, body: '{}' }, new AbortController().signal)
    await asked.promise
    ours?.destroy(Object.assign(new Error(`read ${code}`), { code, syscall: 'read' }))
    expect(await exchange).toMatchObject({ lost: `connection error: ${code}`, notSent: null })
  },
)

it.each(['a name that does not resolve', 'a certificate that is not trusted'])(
  'a request was not sent to %s',
  async (what) => {
    const secure = await startRawServer({ tls: { key: pem('receiver.key'), cert: pem('receiver.crt') } })
    const host = what.startsWith('a name') ? 'nowhere.invalid' : `127.0.0.1:${secure.port}`
    const exchange = await http.request(
      { method: 'POST', url: new URL(`https://${host}/orders`), headers: {}, body: '{}' },
      new AbortController().signal,
    )
    expect(exchange).toMatchObject({ lost: expect.stringMatching(/^connection error: /), notSent: 'unreachable' })
    expect(secure.requests).toEqual([])
    await secure.close()
  },
)
