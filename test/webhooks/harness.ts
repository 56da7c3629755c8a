import { afterAll, afterEach, beforeAll } from 'vitest'
import { parseNetworks } from '../../src/network/networks.ts'
import { createResolver, type NameResolver } from '../../src/webhooks/resolve.ts'
import { createSender, type SendOutcome } from '../../src/webhooks/send.ts'
import { type DnsServer, startDnsServer } from '../support/servers/dns_server.ts'
import { type RawServer, type RawServerOptions, startRawServer } from '../support/servers/raw_server.ts'

export const loopback = parseNetworks('127.0.0.0/8')

type Attempt = {
  headers?: Record<string, string>
  body?: Buffer
  timeoutMs?: number
  tlsCa?: string
  resolver?: NameResolver
  maySend?: () => boolean
  allowNetworks?: ReturnType<typeof parseNetworks>
}

export type Receivers = {
  /** Starts a scripted receiver that ends with the test. */
  start(options?: RawServerOptions): Promise<RawServer>
  /** Makes one attempt with a sender of its own, of 2 s unless told otherwise. */
  send(url: string, attempt?: Attempt): Promise<SendOutcome>
  dns(): DnsServer
}

/** Scripted receivers, a scripted DNS server and senders for the tests of one file. */
export function receivers(): Receivers {
  let dns: DnsServer | undefined
  const started: RawServer[] = []
  const presentDns = (): DnsServer => {
    if (dns === undefined) throw new Error('the DNS server exists only inside tests and hooks')
    return dns
  }
  beforeAll(async () => {
    dns = await startDnsServer()
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.close()))
  })
  afterAll(() => dns?.close())
  return {
    dns: presentDns,
    async start(options) {
      const server = await startRawServer(options)
      started.push(server)
      return server
    },
    async send(url, attempt = {}) {
      const { headers = {}, body = Buffer.from('{}'), timeoutMs = 2000, allowNetworks = loopback } = attempt
      const { maySend = () => true } = attempt
      const resolver = attempt.resolver ?? createResolver({ servers: [presentDns().address], allowNetworks })
      const tls = attempt.tlsCa === undefined ? {} : { tlsCa: attempt.tlsCa }
      const sender = createSender({ resolver, allowNetworks, timeoutMs, ...tls })
      const outcome = await sender.send({ url, headers, body, maySend })
      await sender.close()
      return outcome
    },
  }
}
