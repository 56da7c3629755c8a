import { setTimeout as sleep } from 'node:timers/promises'
import { NoAnswerError, type OrderRequest, SupplyClient } from '../client/index.ts'
import { loadConfig } from '../config.ts'
import { describeReceived, describeSession } from '../demo/receiver/describe.ts'
import { startReceiver } from '../demo/receiver/receiver.ts'
import { asOperator } from './connections.ts'
import { demoCredentials } from './demo_data.ts'
import { embeddedUrl } from './operator_login.ts'

/** An order of the demo; of one whose way is worth a look, `story` says so. */
type Wanted = { what: string; items: OrderRequest['items']; story?: true }

const wanted: Wanted[] = [
  { what: 'a top-up', items: [{ productId: 101, deliveryData: { gameUserId: '123456789' } }] },
  { what: 'three keys', items: [{ productId: 111, quantity: 3 }] },
  {
    what: 'a top-up that the supplier refuses',
    items: [{ productId: 101, deliveryData: { gameUserId: '123456700' } }],
  },
  { what: 'two keys of which the first supplier has none', items: [{ productId: 112, quantity: 2 }], story: true },
]

/**
 * `npm run demo`: places a few orders at a running service in the name of the demo partner and shows their signed
 * webhooks arriving, verified as a partner would. Needs the service's database only to learn the signing secret, which
 * a partner gets from the operators.
 */
export async function demo(): Promise<void> {
  const config = loadConfig(process.env, { command: 'demo' })
  const baseUrl = config.publicUrl ?? `http://${config.host}:${config.port}`
  const databaseUrl = config.databaseDirectUrl ?? embeddedUrl()
  const { apiKey, secret } = await asOperator(databaseUrl, (db) => demoCredentials(db, config.dataKeys))
  const client = new SupplyClient({ baseUrl, apiKey })
  await client.me({ giveUpAfterMs: 0 }).catch((error: unknown) => {
    if (!(error instanceof NoAnswerError)) throw error
    throw new Error(`no service answers at ${error.message}; PORT or PUBLIC_URL says where it is`, { cause: error })
  })
  const colours = process.stdout.isTTY && process.stdout.hasColors()
  const receiver = await startReceiver({
    secret,
    onEvent: (received) => console.log(describeReceived(received, { colours })),
  })
  console.log(`a receiver listens on ${receiver.url}\n`)
  const codes: string[] = []
  const stories: string[] = []
  for (const { what, items, story } of wanted) {
    const externalOrderId = `demo-${crypto.randomUUID()}`
    const callbackUrl = `${receiver.url}/webhooks`
    const order = await client.placeOrder({ externalOrderId, items, callbackUrl })
    console.log(`ordered ${what}: ${order.code}, ${order.totalAmount} ${order.currency}, ${order.status}`)
    codes.push(order.code)
    if (story) stories.push(order.code)
  }
  console.log('\nwaiting for the webhooks of these orders …\n')
  try {
    await Promise.all(codes.map((code) => receiver.waitFor(({ event }) => event?.data.orderCode === code, 60_000)))
  } finally {
    // The last answer has to reach the service before the receiver goes.
    await sleep(200)
    await receiver.close()
  }
  for (const code of stories) console.log(await storyOf(databaseUrl, code))
  console.log(`\n${describeSession(receiver.received)}`)
  if (receiver.received.some(({ verified }) => verified !== true)) throw new Error('a webhook was not verified')
  process.exit(0)
}

/** The story of an order for operators, as lines. */
async function storyOf(databaseUrl: string, code: string): Promise<string> {
  const story = await asOperator(databaseUrl, (db) => db.call('ops.order_story', { reference: code }))
  const lines = story.map(({ actor, what, detail }) => `  ${`${actor}: ${what}`.padEnd(32)} ${detail}`)
  return [`\nwhat happened to ${code}, by ops.order_story:`, ...lines].join('\n')
}
