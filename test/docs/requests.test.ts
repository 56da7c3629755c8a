import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../src/demo/receiver/receiver.ts'
import { type FileRequest, fill, parseHttpFile } from '../support/http_file.ts'
import { operations } from '../support/openapi/document.ts'
import { addressOf, copyCheckout, type ServiceProcess, startProcess } from '../support/servers/service_process.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/requests.http'), 'utf8')
const { variables, requests } = parseHttpFile(text)

describe('docs/requests.http', () => {
  const folder = copyCheckout()
  const answers = new Map<string, unknown>()
  let demo: ServiceProcess
  let receiver: Receiver

  beforeAll(async () => {
    receiver = await startReceiver({ secret: () => undefined })
    variables.set('callbackUrl', `${receiver.url}/webhooks`)
    demo = startProcess('start', { PORT: '0', DRAIN_SECONDS: '0' }, folder)
    variables.set('baseUrl', await addressOf(demo))
    variables.set('apiKey', (await demo.says(/svc_test_[0-9a-f]{48}/))[0])
  })
  afterAll(async () => {
    await demo.end()
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function send({ method, url, headers, body }: FileRequest) {
    const filled = (part: string) => fill(part, variables, answers)
    const response = await request(filled(url), {
      method: method as 'GET',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
      body: body === undefined ? null : filled(body),
    })
    const text = await response.body.text()
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    return { status: response.statusCode, json: isJson ? JSON.parse(text) : undefined }
  }

  // Each may need the answers of those before it.
  test.each(requests)('is answered by the demo as it says: $title, $status $code', async (request) => {
    const expected = { status: request.status, code: request.code }
    const answer = async () => {
      const { status, json } = await send(request)
      if (request.name !== undefined) answers.set(request.name, json)
      return { status, code: json?.code }
    }
    if (request.inTheEnd) await expect.poll(answer, { interval: 100 }).toEqual(expected)
    else expect(await answer()).toEqual(expected)
  })

  test('has every route for partners', () => {
    const addresses = requests
      // The order is delivered by then, so it can no longer be cancelled.
      .filter(({ status, url }) => status < 300 || url.endsWith('/cancel'))
      .map(({ method, url }) => `${method} ${url.replace('{{baseUrl}}', '').replace(/\?.*/, '')}`)
    const missing = operations
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => /^[A-Z]+ \/(b2b|simulation|openapi|reference)/.test(route))
      .filter((route) => {
        const pattern = new RegExp(`^${route.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
        return !addresses.some((address) => pattern.test(address))
      })
    expect(missing).toEqual([])
  })
})
