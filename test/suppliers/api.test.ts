import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiAt, apiKeyHeader } from '../../src/suppliers/api.ts'
import { createSupplierHttp } from '../../src/suppliers/exchange.ts'
import { type SupplierServer, startSupplierServer } from '../support/servers/supplier_server.ts'

// A base URL without a path, or with a doubled slash, must not turn the first part of a path into another host: the
// request holds our key.
const http = createSupplierHttp({ timeoutMs: 10_000 })
const requested: string[] = []
let supplier: SupplierServer

beforeAll(async () => {
  supplier = await startSupplierServer(({ headers, target }) => {
    requested.push(`${headers['x-api-key']} ${target}`)
    return { status: 200, json: {} }
  })
})
afterAll(async () => {
  await http.close()
  await supplier.close()
})

test.each([
  ['', '', '/v2/order?id=1'],
  ['/', '', '/v2/order?id=1'],
  ['/', '/b2b', '/b2b/v2/order?id=1'],
  ['/esa/api', '', '/esa/api/v2/order?id=1'],
  ['/esa/api//', '', '/esa/api/v2/order?id=1'],
  ['/esa/api/', '/b2b', '/esa/api/b2b/v2/order?id=1'],
  ['//other.example', '', '//other.example/v2/order?id=1'],
])('a request to the base URL HOST%s, with the prefix "%s", goes to that host', async (path, prefix, expected) => {
  requested.length = 0
  const api = apiAt(
    http,
    { supplier: 'a', baseUrl: `${supplier.url}${path}`, token: 'key' },
    { prefix, authorize: apiKeyHeader },
  )
  const answer = await http.withinDeadline((signal) => api({ path: '/v2/order', query: { id: '1' } }, signal))
  expect(answer).toMatchObject({ answer: { status: 200 } })
  expect(requested).toEqual([`key ${expected}`])
})
