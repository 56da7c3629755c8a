import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiAt } from '../../src/suppliers/api.ts'
import { createSupplierHttp } from '../../src/suppliers/exchange.ts'

// A base URL without a path, or with a doubled slash, must not turn the first part of a path into another host: the
// request holds our key.
const http = createSupplierHttp({ timeoutMs: 10_000 })
const requested: string[] = []
const server = createServer((request, response) => {
  requested.push(`${request.headers['x-api-key']} ${request.url}`)
  response.end('{}')
})
let host = ''

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await http.close()
  server.close()
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
  const api = apiAt(http, { supplier: 'a', baseUrl: `${host}${path}`, token: 'key' }, prefix)
  if (typeof api === 'string') throw new Error(api)
  const answer = await http.withinDeadline((signal) => api({ path: '/v2/order', query: { id: '1' } }, signal))
  expect(answer).toMatchObject({ answer: { status: 200 } })
  expect(requested).toEqual([`key ${expected}`])
})
