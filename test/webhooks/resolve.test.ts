import { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { parseNetworks } from '../../src/network/networks.ts'
import { checkCallbackUrl } from '../../src/webhooks/callback_url.ts'
import { createResolver } from '../../src/webhooks/resolve.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { type DnsEntry, type DnsServer, startDnsServer } from '../support/servers/dns_server.ts'
import cases from './callback-cases.json' with { type: 'json' }

const loopback = parseNetworks('127.0.0.0/8')
const publicA = '93.184.216.34'
const publicAaaa = '2606:2800:220:1:248:1893:25c8:1946'
let dns: DnsServer

beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(() => dns.close())
afterEach(() => {
  vi.restoreAllMocks()
})

const resolver = (allowNetworks = parseNetworks('')) => createResolver({ servers: [dns.address], allowNetworks })

/** A name of the test's own, so that no test sees another's records. */
let names = 0
function name(entry: DnsEntry): string {
  names += 1
  const fresh = `n${names}.partner-a.com`
  dns.set(fresh, entry)
  return fresh
}

describe('a callback URL before a delivery', () => {
  const deliveries = cases.filter(({ stage }) => stage === 'deliver')

  for (const { url, dns: addresses = [], expect: verdict, why } of deliveries) {
    const hostname = new URL(url).hostname
    const entry = {
      a: addresses.filter((address) => !address.includes(':')),
      aaaa: addresses.filter((address) => address.includes(':')),
    }

    if (verdict === 'accept') {
      it(`is accepted: ${why}`, async () => {
        dns.set(hostname, entry)
        expect(checkCallbackUrl(url, []).ok).toBe(true)
        const resolution = await resolver().resolve(hostname, 2000)
        expect(resolution).toEqual({
          kind: 'ok',
          addresses: addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        })
      })
    } else {
      it(`is refused with no socket opened: ${why}`, async () => {
        dns.set(hostname, entry)
        const connect = vi.spyOn(Socket.prototype, 'connect')
        const sender = createSender({ resolver: resolver(), allowNetworks: [], timeoutMs: 2000 })
        const outcome = await sender.send({ url, headers: {}, body: Buffer.from('{}'), maySend: () => true })
        expect(outcome).toMatchObject({ kind: 'refused', reason: 'blocked_address' })
        expect(connect).not.toHaveBeenCalled()
      })
    }
  }
})

describe('a name', () => {
  it('is asked for once in each family, as it is, without search domains', async () => {
    const hostname = name({ a: [publicA], aaaa: [publicAaaa] })
    const before = dns.queries.length
    await resolver().resolve(hostname, 2000)
    const asked = dns.queries.slice(before)
    expect(asked.map(({ type }) => type).sort()).toEqual(['A', 'AAAA'])
    expect(new Set(asked.map((query) => query.name.toLowerCase()))).toEqual(new Set([hostname]))
  })

  it('of a single label is asked for as it is', async () => {
    const before = dns.queries.length
    expect(await resolver().resolve('single', 2000)).toEqual({ kind: 'unresolved', error: 'ENOTFOUND' })
    expect(new Set(dns.queries.slice(before).map((query) => query.name.toLowerCase()))).toEqual(new Set(['single']))
  })

  it('is resolved again each time', async () => {
    const hostname = name({ a: [publicA] })
    const one = resolver()
    expect((await one.resolve(hostname, 2000)).kind).toBe('ok')
    dns.set(hostname, { a: ['10.0.0.1'] })
    expect(await one.resolve(hostname, 2000)).toEqual({ kind: 'blocked', address: '10.0.0.1' })
  })

  it('of localhost does not come from the hosts file', async () => {
    expect(await resolver(loopback).resolve('localhost', 2000)).toMatchObject({ kind: 'unresolved' })
  })

  it('with one family only is resolved', async () => {
    expect(await resolver().resolve(name({ a: [publicA] }), 2000)).toMatchObject({ kind: 'ok' })
    expect(await resolver().resolve(name({ aaaa: [publicAaaa] }), 2000)).toEqual({
      kind: 'ok',
      addresses: [{ address: publicAaaa, family: 6 }],
    })
  })

  it('is followed through CNAMEs, and their end is checked', async () => {
    const good = name({ a: [publicA] })
    const bad = name({ a: ['10.9.8.7'] })
    const viaGood = name({ cname: name({ cname: good }) })
    expect(await resolver().resolve(viaGood, 2000)).toMatchObject({ kind: 'ok' })
    expect(await resolver().resolve(name({ cname: bad }), 2000)).toEqual({ kind: 'blocked', address: '10.9.8.7' })
  })

  it.each([
    ['among its IPv4 addresses', { a: [publicA, '1.1.1.1', '169.254.169.254', '8.8.8.8'] }],
    ['in the other family', { a: [publicA], aaaa: [publicAaaa, 'fd00::1'] }],
    ['while the other family fails', { a: ['10.0.0.1'], aaaa: 'SERVFAIL' as const }],
  ])('with one bad address %s is refused as a whole', async (_where, entry) => {
    expect(await resolver().resolve(name(entry), 2000)).toMatchObject({ kind: 'blocked' })
  })

  it('in an allowed network passes, and its IPv4-mapped twin does not', async () => {
    expect(await resolver(loopback).resolve(name({ a: ['127.0.0.1'] }), 2000)).toMatchObject({ kind: 'ok' })
    expect(await resolver(loopback).resolve(name({ a: ['127.0.0.1', '10.0.0.1'] }), 2000)).toMatchObject({
      kind: 'blocked',
    })
    expect(await resolver(loopback).resolve(name({ aaaa: ['::ffff:127.0.0.1'] }), 2000)).toMatchObject({
      kind: 'blocked',
    })
  })

  it.each(['SERVFAIL', 'NXDOMAIN', 'silent'] as const)(
    'with IPv4 addresses stands when the question for IPv6 ends in %s',
    async (failure) => {
      const resolution = await resolver().resolve(name({ a: [publicA], aaaa: failure }), 1000)
      expect(resolution).toEqual({ kind: 'ok', addresses: [{ address: publicA, family: 4 }] })
    },
  )

  it('waits for the slower family a fifth of the time', async () => {
    const hostname = name({ a: [publicA], aaaa: ['fd00::1'], delayMs: { aaaa: 150 } })
    expect(await resolver().resolve(hostname, 2000)).toMatchObject({ kind: 'blocked' })
  })

  const unresolvable: [string, DnsEntry, string][] = [
    ['does not exist', { a: 'NXDOMAIN', aaaa: 'NXDOMAIN' }, 'ENOTFOUND'],
    ['has no addresses', {}, 'ENODATA'],
    ['cannot be looked up', { a: 'SERVFAIL', aaaa: 'SERVFAIL' }, 'ESERVFAIL'],
    ['cannot be looked up in one family and has none in the other', { aaaa: 'SERVFAIL' }, 'ESERVFAIL'],
  ]
  it.each(unresolvable)('that %s is unresolved', async (_what, entry, error) => {
    expect(await resolver().resolve(name(entry), 3000)).toEqual({ kind: 'unresolved', error })
  })

  it('with more than 100 addresses in a family is unresolved, and none of them looked at', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `2606:4700::${n + 1}`)
    expect(await resolver().resolve(name({ aaaa: many(100) }), 2000)).toMatchObject({ kind: 'ok' })
    const entries: DnsEntry[] = [{ a: [publicA], aaaa: many(101) }, { aaaa: [...many(100), 'fd00::1'] }]
    for (const entry of entries) {
      expect(await resolver().resolve(name(entry), 2000)).toEqual({ kind: 'unresolved', error: 'TOO_MANY_ADDRESSES' })
    }
  })

  it('is unresolved at the deadline when the server is silent', async () => {
    const resolution = await resolver().resolve(name({ a: 'silent', aaaa: 'silent' }), 200)
    expect(resolution).toEqual({ kind: 'unresolved', error: 'DEADLINE' })
  })

  it('that hangs does not disturb another look-up of the same resolver', async () => {
    const one = resolver()
    const slow = one.resolve(name({ a: [publicA], delayMs: 250 }), 2000)
    await one.resolve(name({ a: 'silent', aaaa: 'silent' }), 50)
    expect(await slow).toMatchObject({ kind: 'ok' })
  })

  it('is unresolved when no server listens', async () => {
    const nowhere = await startDnsServer()
    await nowhere.close()
    const silent = createResolver({ servers: [nowhere.address], allowNetworks: [] })
    expect(await silent.resolve('a.partner-a.com', 500)).toMatchObject({ kind: 'unresolved' })
  })
})

describe('a resolver', () => {
  it.each(['localhost:53', '127.0.0.1:99999', 'nonsense'])('is not made with the server %s', (server) => {
    expect(() => createResolver({ servers: [server], allowNetworks: [] })).toThrow()
  })

  it('is made with IPv4 and IPv6 servers, with and without ports', () => {
    const servers = ['127.0.0.1', '127.0.0.1:5353', '::1', '[::1]:5353']
    expect(() => createResolver({ servers, allowNetworks: [] })).not.toThrow()
  })
})
