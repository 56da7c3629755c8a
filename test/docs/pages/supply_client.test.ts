import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { audit } from '../../support/orders.ts'
import { type Partner, products } from '../../support/partner.ts'
import { freePort } from '../../support/servers/free_port.ts'
import { startWholeService, type WholeService } from '../../support/whole_service.ts'
import { startBadNetwork } from '../bad_network.ts'
import { blocksOf, guideText } from '../guide_text.ts'
import { hasPython } from './page_programs.ts'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../../docs')
const database = testDatabase({ catalog: true })

describe.skipIf(!hasPython)('the client in Python', () => {
  let service: WholeService
  let partner: Partner
  let network: Awaited<ReturnType<typeof startBadNetwork>>

  beforeAll(async () => {
    service = await startWholeService(database)
    service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed', codes: ['K-1'] } }))
    partner = await service.partner({ mode: 'test' })
    network = await startBadNetwork(() => service.api.url)
  })
  afterAll(async () => {
    await network.close()
    await service.close()
  })

  /** Runs lines of Python that have a client `c` and the function `say`. Returns what they said. */
  async function python(lines: string, { settings = '', url = network.url } = {}): Promise<unknown[]> {
    const program = `
import json, sys
from supply_client import *
say = lambda value: print(json.dumps(value, default=str))
c = SupplyClient(sys.argv[1], sys.argv[2], ${settings})
top_up = {"productId": ${products.topUp}, "deliveryData": {"gameUserId": "12345"}}
def failure(call, *args, **query):
    try: call(*args, **query)
    except (SupplyError, ValueError) as error: return error
${lines}`
    const env = { PATH: process.env.PATH, PYTHONPATH: join(docs, 'programs'), PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout, stderr } = await run('python3', ['-W', 'error', '-c', program, url, partner.key], { env })
    expect(stderr).toBe('')
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }

  test('places an order once through a 503, a lost response and half a response', async () => {
    for (const fault of ['503', 'reset', 'half a response'] as const) network.meet(fault)
    const said = await python(
      `
order = c.place_order({"externalOrderId": "python 1", "items": [{"productId": ${products.key}}]})
say(order["externalOrderId"])`,
      { settings: 'on_retry=lambda attempt, delay, error: say(f"{attempt} {error}")' },
    )
    expect(said).toEqual([
      `1 ${network.url}: HTTP 503, later`,
      expect.stringMatching(`^2 ${network.url}: .`),
      expect.stringMatching(`^3 ${network.url}: IncompleteRead`),
      'python 1',
    ])
    const bodies = network.posts.map(({ body }) => body)
    expect(bodies).toEqual(Array(4).fill(bodies[0]))
    const { sql } = database
    expect(await sql`select amount from ops.ledger where type = 'order_charge'`).toHaveLength(1)
    expect(await audit(sql)).toEqual([])
  })

  test('finds an order whose response was lost, and otherwise says that the outcome is unknown', async () => {
    network.meet('reset')
    const impatient = { settings: 'give_up_after=0' }
    const order = '{"externalOrderId": "python 2", "items": [top_up]}'
    expect(await python(`say(c.place_order(${order})["externalOrderId"])`, impatient)).toEqual(['python 2'])
    const url = `http://127.0.0.1:${await freePort()}`
    const lines = `
error = failure(c.place_order, ${order}, "key 2")
say([type(error).__name__, error.idempotency_key, str(error), len(error.request_id)])`
    expect(await python(lines, { ...impatient, url })).toEqual([
      [
        ...['UnknownOutcomeError', 'key 2'],
        expect.stringMatching(`^it is unknown whether order 'python 2' was placed \\(${url}: .*refused`),
        36,
      ],
    ])
  })

  test('has every read of the service, with lists as iterators over pages', async () => {
    const said = await python(`
say([c.me()["mode"], c.games()[0]["slug"], c.product(${products.topUp})["id"], str(c.balance()["currency"])])
say(c.products(c.games()[0]["slug"], deliveryType="id_only")[0]["id"])
say(len(list(c.catalog(limit=1))) > 2)
codes = [order["code"] for order in c.orders(limit=1)]
say(len(codes) > 1 and c.order(codes[0])["code"] == codes[0])
say(c.timeline(codes[0])["entries"][0]["what"])
say([row["amount"] for row in c.transactions(limit=1, from_="2026-01-01")][-1])
say(next(c.results(limit=1))["seq"])
say([list(c.events()), c.redeliver_dead("2026-01-01", dry_run=True)])
say(c.quote({"items": [top_up]})["totalAmount"])
say(c.simulated_order(c.simulate_order({"externalOrderId": "s", "items": [top_up]})["code"])["simulated"])
event = c.simulate_webhook({"callbackUrl": "http://127.0.0.1:9/", "eventType": "order.failed"})
say(c.simulated_webhook(event["eventId"])["eventId"] == event["eventId"])`)
    const slug = expect.any(String)
    expect(said).toEqual([
      ['test', slug, products.topUp, 'RUB'],
      ...[products.topUp, true, true, 'placed', '1000.00', 1, [[], { count: 0 }], '10.50', true, true],
    ])
  })

  test('says why it refuses: settings, codes that lead elsewhere, and refusals with their details', async () => {
    const said = await python(`
say(str(failure(SupplyClient, None, "k")))
say(str(failure(SupplyClient, "https://supply.example", None)))
say("k" * 9 in str(failure(SupplyClient, "https://" + "k" * 9 + "@supply.example", "k")))
say(str(failure(c.order, "..")))
error = failure(c.place_order, {"externalOrderId": "x", "items": [{"productId": ${products.topUp}, "quantity": "2"}]})
say([error.status, error.code, str(error)])
error = failure(c.product, 999)
say([error.status, error.code])
error = failure(SupplyClient(sys.argv[1], "svc_live_none").balance)
say([error.status, error.code])`)
    expect(said).toEqual([
      'SupplyClient needs a base_url, such as https://supply.example',
      'SupplyClient needs an api_key: the operators issue it',
      false,
      'an id, code or slug is empty, or only dots',
      [400, 'VALIDATION_ERROR', expect.stringMatching(/^400 VALIDATION_ERROR: .* \(items\[0\]\.quantity .*\)$/)],
      [404, 'PRODUCT_NOT_FOUND'],
      [401, 'UNAUTHORIZED'],
    ])
  })

  test('runs the sample of the guide', async () => {
    const sample = blocksOf(guideText('clients')).find(({ file, language }) => file === undefined && language === 'py')
    const path = { PYTHONPATH: join(docs, 'programs'), PYTHONDONTWRITEBYTECODE: '1' }
    const env = { PATH: process.env.PATH, ...path, BASE_URL: service.api.url, API_KEY: partner.key }
    const { stdout } = await run('python3', ['-W', 'error', '-c', sample?.text ?? ''], { env })
    expect(stdout).toMatch(/^placed ord_\w+\n/)
    expect(stdout).toContain(`${products.topUp} 10.50\n`)
  })

  test('judges every vector of webhook signatures as the service does', async () => {
    const vectors = join(docs, 'verify/vectors.tsv')
    const lines = readFileSync(vectors, 'utf8').split('\n')
    const expected = lines.filter((line) => line !== '' && !line.startsWith('#'))
    const said = await python(`
import base64, pathlib
for line in pathlib.Path(${JSON.stringify(vectors)}).read_bytes().decode().split("\\n"):
    if not line or line.startswith("#"): continue
    name, expected, now, secret, timestamp, signature, body = line.split("\\t")
    headers = {"X-Webhook-Timestamp": timestamp, "X-Webhook-Signature": signature}
    headers = {name: value for name, value in headers.items() if value}
    verdict = verify_webhook(secret, headers, base64.b64decode(body), int(now))
    # The vectors' bodies are not whole events: 400 is the answer after a valid signature.
    say("valid" if verdict.ok or verdict.status == 400 else "invalid")`)
    expect(said).toEqual(expected.map((line) => line.split('\t')[1]))
  })
})
