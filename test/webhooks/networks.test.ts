import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contains, parseNetworks } from '../../src/network/networks.ts'
import { isBlockedAddress, isRefusedAddress } from '../../src/webhooks/networks.ts'

// Both IANA special-purpose address registries, row by row: first address, prefix length, name.
const ipv4Registry: [string, number, string][] = [
  ['0.0.0.0', 8, 'this network'],
  ['0.0.0.0', 32, 'this host on this network'],
  ['10.0.0.0', 8, 'private use'],
  ['100.64.0.0', 10, 'shared address space'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link local'],
  ['172.16.0.0', 12, 'private use'],
  ['192.0.0.0', 24, 'IETF protocol assignments'],
  ['192.0.0.0', 29, 'IPv4 service continuity prefix'],
  ['192.0.0.8', 32, 'IPv4 dummy address'],
  ['192.0.0.9', 32, 'port control protocol anycast'],
  ['192.0.0.10', 32, 'TURN anycast'],
  ['192.0.0.170', 31, 'NAT64 and DNS64 discovery'],
  ['192.0.2.0', 24, 'documentation TEST-NET-1'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'AMT'],
  ['192.88.99.0', 24, 'deprecated 6to4 relay anycast'],
  ['192.168.0.0', 16, 'private use'],
  ['192.175.48.0', 24, 'direct delegation AS112 service'],
  ['198.18.0.0', 15, 'benchmarking'],
  ['198.51.100.0', 24, 'documentation TEST-NET-2'],
  ['203.0.113.0', 24, 'documentation TEST-NET-3'],
  ['240.0.0.0', 4, 'reserved'],
  ['255.255.255.255', 32, 'limited broadcast'],
]

// No rows of that registry, yet never a receiver: multicast has a registry of its own, the last is Azure's.
const ipv4Others: [string, number, string][] = [
  ['224.0.0.0', 4, 'multicast'],
  ['168.63.129.16', 32, 'Azure platform'],
  ['100.100.100.200', 32, 'Alibaba metadata'],
]

const ipv6Registry: [string, number, string][] = [
  ['0000:0000:0000:0000:0000:0000:0000:0001', 128, 'loopback'],
  ['0000:0000:0000:0000:0000:0000:0000:0000', 128, 'unspecified'],
  ['0000:0000:0000:0000:0000:ffff:0000:0000', 96, 'IPv4-mapped'],
  ['0064:ff9b:0000:0000:0000:0000:0000:0000', 96, 'IPv4-IPv6 translation'],
  ['0064:ff9b:0001:0000:0000:0000:0000:0000', 48, 'local-use translation'],
  ['0100:0000:0000:0000:0000:0000:0000:0000', 64, 'discard only'],
  ['0100:0000:0000:0001:0000:0000:0000:0000', 64, 'dummy prefix'],
  ['2001:0000:0000:0000:0000:0000:0000:0000', 23, 'IETF protocol assignments'],
  ['2001:0000:0000:0000:0000:0000:0000:0000', 32, 'Teredo'],
  ['2001:0001:0000:0000:0000:0000:0000:0001', 128, 'port control protocol anycast'],
  ['2001:0001:0000:0000:0000:0000:0000:0002', 128, 'TURN anycast'],
  ['2001:0001:0000:0000:0000:0000:0000:0003', 128, 'DNS-SD SRP anycast'],
  ['2001:0002:0000:0000:0000:0000:0000:0000', 48, 'benchmarking'],
  ['2001:0003:0000:0000:0000:0000:0000:0000', 32, 'AMT'],
  ['2001:0004:0112:0000:0000:0000:0000:0000', 48, 'AS112'],
  ['2001:0010:0000:0000:0000:0000:0000:0000', 28, 'deprecated ORCHID'],
  ['2001:0020:0000:0000:0000:0000:0000:0000', 28, 'ORCHIDv2'],
  ['2001:0030:0000:0000:0000:0000:0000:0000', 28, 'drone remote ID'],
  ['2001:0db8:0000:0000:0000:0000:0000:0000', 32, 'documentation'],
  ['2002:0000:0000:0000:0000:0000:0000:0000', 16, '6to4'],
  ['2620:004f:8000:0000:0000:0000:0000:0000', 48, 'direct delegation AS112 service'],
  ['3fff:0000:0000:0000:0000:0000:0000:0000', 20, 'documentation'],
  ['5f00:0000:0000:0000:0000:0000:0000:0000', 16, 'segment routing SIDs'],
  ['fc00:0000:0000:0000:0000:0000:0000:0000', 7, 'unique local'],
  ['fe80:0000:0000:0000:0000:0000:0000:0000', 10, 'link local'],
]

type Range = { first: bigint; last: bigint; name: string }

const ipv4Number = (text: string) => text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)
const ipv6Number = (text: string) => BigInt(`0x${text.replaceAll(':', '')}`)
const ipv4Text = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
const ipv6Text = (value: bigint) => {
  const groups = value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []
  return groups.join(':')
}

const range = (first: bigint, prefix: number, width: number, name: string): Range => ({
  first,
  last: first + (1n << BigInt(width - prefix)) - 1n,
  name,
})
const ipv4Ranges = [...ipv4Registry, ...ipv4Others].map(([first, prefix, name]) =>
  range(ipv4Number(first), prefix, 32, name),
)
const ipv6Ranges = ipv6Registry.map(([first, prefix, name]) => range(ipv6Number(first), prefix, 128, name))
const globalUnicast = range(0x2000n << 112n, 3, 128, 'global unicast')

const within = (value: bigint) => (range: Range) => value >= range.first && value <= range.last
const ipv4IsSpecial = (value: bigint) => ipv4Ranges.some(within(value))
const ipv6IsSpecial = (value: bigint) => !within(value)(globalUnicast) || ipv6Ranges.some(within(value))

const edges = (ranges: Range[], width: number) =>
  ranges
    .flatMap(({ first, last }) => [first - 1n, first, last, last + 1n])
    .filter((value) => value >= 0n && value < 1n << BigInt(width))
const near = (ranges: Range[]) =>
  fc.constantFrom(...ranges).chain(({ first, last }) => fc.bigInt({ min: first, max: last }))

describe('a blocked address', () => {
  it.each(ipv4Ranges)('IPv4 $name', ({ first, last }) => {
    for (const value of [first, (first + last) / 2n, last]) expect(isBlockedAddress(ipv4Text(value))).toBe(true)
  })

  it.each(ipv6Ranges)('IPv6 $name', ({ first, last }) => {
    for (const value of [first, (first + last) / 2n, last]) expect(isBlockedAddress(ipv6Text(value))).toBe(true)
  })

  it('is decided by the registry on both edges of each of its ranges', () => {
    for (const value of edges(ipv4Ranges, 32)) {
      expect([ipv4Text(value), isBlockedAddress(ipv4Text(value))]).toEqual([ipv4Text(value), ipv4IsSpecial(value)])
    }
    for (const value of edges([...ipv6Ranges, globalUnicast], 128)) {
      expect([ipv6Text(value), isBlockedAddress(ipv6Text(value))]).toEqual([ipv6Text(value), ipv6IsSpecial(value)])
    }
  })

  it('is decided by the registry for any IPv4 address', () => {
    const any = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }), near(ipv4Ranges))
    fc.assert(
      fc.property(any, (value) => isBlockedAddress(ipv4Text(value)) === ipv4IsSpecial(value)),
      { numRuns: 2000 },
    )
  })

  it('is, for IPv6, everything outside global unicast and the registry inside it', () => {
    const inGlobal = fc.bigInt({ min: globalUnicast.first, max: globalUnicast.last })
    const any = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), inGlobal, near(ipv6Ranges))
    fc.assert(
      fc.property(any, (value) => isBlockedAddress(ipv6Text(value)) === ipv6IsSpecial(value)),
      { numRuns: 2000 },
    )
  })

  it('is every IPv4 address dressed as IPv6: mapped, compatible, translated, NAT64', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => {
        for (const prefix of ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::']) {
          expect(isBlockedAddress(`${prefix}${ipv4}`)).toBe(true)
        }
      }),
    )
  })

  it.each(['', 'localhost', '8.8.8', '08.8.8.8', '0x8.8.8.8', '134744072', '8.8.8.8 ', '2606:4700::1%eth0', '['])(
    'is also %j, which is no plain address',
    (text) => {
      expect(isBlockedAddress(text)).toBe(true)
    },
  )

  it.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '168.63.129.15', '2606:4700:4700::1111', '2A00::1'])(
    'is not %s, which is plainly public',
    (address) => {
      expect(isBlockedAddress(address)).toBe(false)
    },
  )
})

describe('a list of networks', () => {
  it('is separated by commas or white space, and takes single addresses', () => {
    const networks = parseNetworks(' 127.0.0.0/8,10.1.2.3\n fd00::/8 , ::1 ')
    expect(networks).toHaveLength(4)
    for (const inside of ['127.0.0.1', '127.255.255.255', '10.1.2.3', 'fd12::9', '::1']) {
      expect([inside, contains(networks, inside)]).toEqual([inside, true])
    }
    for (const outside of ['128.0.0.1', '10.1.2.4', 'fe80::1', '::2', '::ffff:127.0.0.1', 'localhost', '']) {
      expect([outside, contains(networks, outside)]).toEqual([outside, false])
    }
  })

  it('keeps an IPv6 address that ends in an IPv4 address apart from one that is mapped', () => {
    const compatible = parseNetworks('::10.1.2.0/120')
    const mapped = parseNetworks('::ffff:10.1.2.0/120')
    expect(['::10.1.2.3', '::a01:203', '::ffff:10.1.2.3'].map((address) => contains(compatible, address))).toEqual([
      ...[true, true, false],
    ])
    expect(['::10.1.2.3', '::ffff:10.1.2.3'].map((address) => contains(mapped, address))).toEqual([false, true])
  })

  it.each(['', ' ', ', ,'])('is empty for %j', (text) => {
    expect(parseNetworks(text)).toEqual([])
  })

  it.each([
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/8.0',
    '10.0.0/8',
    '010.0.0.0/8',
    '::1/129',
    'fe80::1%eth0',
    'localhost',
    '/8',
  ])('with the entry %j is refused by its name', (entry) => {
    expect(() => parseNetworks(`127.0.0.0/8, ${entry}`)).toThrow(`'${entry}'`)
  })

  it('with the prefix 0 holds every address of its family', () => {
    expect(contains(parseNetworks('0.0.0.0/0'), '8.8.8.8')).toBe(true)
    expect(contains(parseNetworks('0.0.0.0/0'), '2606:4700::1')).toBe(false)
  })

  it('opens the addresses in it and no others', () => {
    const networks = parseNetworks('127.0.0.0/8')
    expect(isRefusedAddress('127.0.0.1', networks)).toBe(false)
    expect(isRefusedAddress('10.0.0.1', networks)).toBe(true)
    expect(isRefusedAddress('::ffff:127.0.0.1', networks)).toBe(true)
    expect(isRefusedAddress('8.8.8.8', networks)).toBe(false)
  })
})
