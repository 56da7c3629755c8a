import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { receivers } from './harness.ts'

const { start } = receivers()

const sendUrl = new URL('../../src/webhooks/send.ts', import.meta.url).href
const networksUrl = new URL('../../src/network/networks.ts', import.meta.url).href
const script = `
  import { createSender } from ${JSON.stringify(sendUrl)}
  import { parseNetworks } from ${JSON.stringify(networksUrl)}
  const resolver = { resolve: async () => ({ kind: 'ok', addresses: [{ address: '127.0.0.1', family: 4 }] }) }
  const sender = createSender({ resolver, allowNetworks: parseNetworks('127.0.0.0/8'), timeoutMs: 5000 })
  const outcome = await sender.send({ url: process.argv[1], headers: {}, body: Buffer.from('{}'), maySend: () => true })
  console.log(JSON.stringify(outcome))
`

it('a process whose environment names a proxy sends webhooks past it', async () => {
  const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  const server = await start({ onRequest: answer })
  const proxy = await start({ onRequest: answer })
  const proxyUrl = `http://127.0.0.1:${proxy.port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']
  const env = {
    ...process.env,
    ...Object.fromEntries(names.map((name) => [name, proxyUrl])),
    NO_PROXY: '',
    no_proxy: '',
    NODE_USE_ENV_PROXY: '1',
  }
  const url = `http://hooks.partner-a.com:${server.port}/x`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script, url], {
    env,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  })
  expect(JSON.parse(stdout)).toEqual({ kind: 'answered', status: 200, retryAfter: null })
  expect(server.requests[0]?.requestLine).toBe('POST /x HTTP/1.1')
  expect(proxy.connections).toHaveLength(0)
})
