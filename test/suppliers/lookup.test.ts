import type { LookupAddress } from 'node:dns'
import { expect, test } from 'vitest'
import { lookup } from '../../src/suppliers/lookup.ts'

const found = (name: string, all: boolean) =>
  new Promise((resolve) => lookup(name, { all }, (error, addresses) => resolve(error?.code ?? addresses)))

test.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254', '100.100.100.200'])(
  'a name that leads to %s has no address for a supplier',
  async (address) => {
    expect([await found(address, true), await found(address, false)]).toEqual(['REFUSED_ADDRESS', 'REFUSED_ADDRESS'])
  },
)

test('another name has the addresses that node finds', async () => {
  const all = (await found('localhost', true)) as LookupAddress[]
  expect(all.length).toBeGreaterThan(0)
  expect(await found('localhost', false)).toBe(all[0]?.address)
  expect(await found('nothing.invalid', true)).toMatch(/^E/)
})
