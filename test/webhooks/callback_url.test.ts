import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseNetworks } from '../../src/network/networks.ts'
import { checkCallbackUrl } from '../../src/webhooks/callback_url.ts'
import cases from './callback-cases.json' with { type: 'json' }

const loopback = parseNetworks('127.0.0.0/8')
const passes = (url: string, networks = parseNetworks('')) => checkCallbackUrl(url, networks).ok
const short = (url: string) => (url.length > 60 ? `${url.slice(0, 60)}…` : url)

describe('a callback URL', () => {
  for (const { url, expect: verdict, stage, why } of cases) {
    const refusedAsText = verdict === 'reject' && stage === 'create'
    it(`${JSON.stringify(short(url))} is ${refusedAsText ? 'refused' : 'accepted'} as text: ${why}`, () => {
      expect(passes(url)).toBe(!refusedAsText)
    })
  }

  it.each([
    'http:/hooks.partner-a.com/',
    'https:///hooks.partner-a.com/',
    'https://?x=1',
    'https://#x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/plain,x',
    'hooks.partner-a.com/x',
    ' https://hooks.partner-a.com/',
    'https://hooks.partner-a.com/a b',
    'https://hooks.partner-a.com/\t',
    'https://hooks.partner-a.com/\u0000',
    'https://hooks.partner-a.com/\u0085',
    'https://hooks.partner-a.com/\u00a0',
    'https://hooks.partner-a.com/\u2028',
    'https://hooks.partner-a.com/\ud800',
    'https://hooks.part\u200bner-a.com/',
    'https://hooks.partner-a.com/a\\b',
    'https://:@hooks.partner-a.com/',
    'https://hooks.partner-a%2ecom/',
    'https://hooks.partner-a.com%00.evil.com/',
    'https://hooks.partner-a.com%23@x/',
    'https://127.1/',
    'https://1.1.1/',
    'https://01.1.1.1/',
    'https://0x1.1.1.1/',
    'https://1.1.1.1./',
    'https://1.1.1.1。/',
    'https://[v1.x]/',
    'https://hooks.partner-a.com:00/',
    'https://hooks.partner-a.com:8a/',
    'https://hooks!.partner-a.com/',
    'https://-hooks.partner-a.com/',
    `https://${'a'.repeat(64)}.com/`,
    `https://${'a.'.repeat(130)}com/`,
    'https://.com/',
    'https://./',
    'https://com./',
    'https://a.INTERNAL/',
    'https://x.lan/',
    'https://x.docker/',
    'https://c1.dns.podman/',
    'https://c1.lxd/',
    'https://c1.incus/',
    'https://api.default.svc./',
    'https://kubernetes.default/',
    'https://metadata.goog./',
    'https://api.metadata.cloud.ibm.com/',
    'https://metadata.azure.com/',
    'https://metadata.packet.net/',
    'https://metadata.platformequinix.com/metadata',
  ])('%j is refused', (url) => {
    expect(passes(url)).toBe(false)
  })

  it.each([
    'https://hooks.partner-a.com',
    'https://hooks.partner-a.com?x=1',
    'https://hooks.partner-a.com:/x',
    'https://hooks.partner-a.com./x',
    'https://my_hook.partner-a.com/x',
    'https://hooks.partner-a.com/привет?x=й',
    'https://1.1.1.1:8443/x',
    'https://internal.partner-a.com/',
    'https://mylocal.com/',
    'https://notlocalhost.com/',
    'https://home.partner-a.com/',
  ])('%j is accepted', (url) => {
    expect(passes(url)).toBe(true)
  })

  it('may be 2048 characters long and not 2049', () => {
    const start = 'https://hooks.partner-a.com/'
    expect(passes(start + 'a'.repeat(2048 - start.length))).toBe(true)
    expect(passes(start + 'a'.repeat(2049 - start.length))).toBe(false)
  })

  it('is given back parsed', () => {
    const check = checkCallbackUrl('HTTPS://Hooks.Partner-A.com:443/Supply?x=1#y', [])
    expect(check.ok && check.url.href).toBe('https://hooks.partner-a.com/Supply?x=1#y')
  })

  it('never makes the check throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
        const check = checkCallbackUrl(text, [])
        return check.ok || check.reason.startsWith('callbackUrl ')
      }),
    )
  })

  it('that passes names one host for every parser: the URL spells the host that WHATWG reads', () => {
    const host = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV4Extended(), fc.string({ unit: 'grapheme-ascii' }))
    fc.assert(
      fc.property(host, (name) => {
        const check = checkCallbackUrl(`http://${name}/`, [])
        return !check.ok || check.url.hostname === name.toLowerCase().replace(/[:/?#].*$/, '')
      }),
    )
  })
})

describe('a refusal', () => {
  const refusal = (url: string, networks = parseNetworks('')) => {
    const check = checkCallbackUrl(url, networks)
    return check.ok ? 'accepted' : check.kind
  }

  it.each([
    ['http://127.0.0.1/', 'blocked_address'],
    ['http://2130706433/', 'blocked_address'],
    ['http://169.254.169.254/latest/meta-data/', 'blocked_address'],
    ['http://[::1]/', 'blocked_address'],
    ['http://[::ffff:10.0.0.1]/', 'blocked_address'],
    ['http://[2001:4860:4860::8888]/', 'invalid_url'],
    ['http://134744072/', 'invalid_url'],
    ['http://localhost/', 'invalid_url'],
    ['http://db.internal/', 'invalid_url'],
    ['ftp://127.0.0.1/', 'invalid_url'],
    ['http://user@hooks.partner-a.com/', 'invalid_url'],
    ['http://256.256.256.256/', 'invalid_url'],
    ['', 'invalid_url'],
  ])('of %s is of the kind %s', (url, kind) => {
    expect(refusal(url)).toBe(kind)
  })

  it('has a reason in plain words', () => {
    const reasonOf = (url: string) => {
      const check = checkCallbackUrl(url, [])
      return check.ok ? null : check.reason
    }
    expect(reasonOf('ftp://a.com/')).toBe('callbackUrl must be an http or https URL')
    expect(reasonOf('https://u:p@a.com/')).toBe('callbackUrl must not contain credentials')
    expect(reasonOf('https://[2606:4700::1]/')).toBe('callbackUrl must not contain an IPv6 address')
    expect(reasonOf('https://localhost/')).toBe('callbackUrl must not point to an internal host name')
    expect(reasonOf('https://10.0.0.1/')).toBe('callbackUrl must not point to a private, loopback or reserved address')
    expect(reasonOf('https://a.com:0/')).toBe('callbackUrl must not use port 0')
    expect(reasonOf('https://a.com:99999/')).toBe('callbackUrl is not a valid URL')
  })
})

describe('an allowed network', () => {
  it('lets its literals pass, in canonical spelling only', () => {
    expect(passes('http://127.0.0.1:8080/hook', loopback)).toBe(true)
    expect(passes('http://127.255.255.254/', loopback)).toBe(true)
    for (const url of ['http://127.1/', 'http://2130706433/', 'http://0x7f.0.0.1/', 'http://127.0.0.1./']) {
      expect([url, passes(url, loopback)]).toEqual([url, false])
    }
  })

  it('opens no other address', () => {
    expect(passes('http://10.0.0.1/', loopback)).toBe(false)
    expect(passes('http://169.254.169.254/', loopback)).toBe(false)
  })

  it('lifts the rule on addresses alone', () => {
    const everything = parseNetworks('0.0.0.0/0 ::/0')
    for (const url of [
      'http://localhost/',
      'http://foo.localhost/',
      'http://postgres:5432/',
      'http://db.internal/',
      'http://[::1]/',
      'ftp://127.0.0.1/',
      'http://user@127.0.0.1/',
      'http://127.0.0.1:0/',
    ]) {
      expect([url, passes(url, everything)]).toEqual([url, false])
    }
  })
})
