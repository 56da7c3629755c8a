import type { Mutant } from './mutant.ts'

const urls = 'test/webhook/callback_url.test.ts'
const resolving = 'test/webhook/resolve.test.ts'
const sending = 'test/webhook/send.test.ts'
const networks = 'test/webhook/networks.test.ts'
const url = 'src/webhook/callback_url.ts'
const resolve = 'src/webhook/resolve.ts'

/** Where webhooks may be sent. */
export const callbacks: Mutant[] = [
  {
    name: 'check no address after the resolution',
    breaks: 'A name that has a blocked address gets no webhook.',
    file: resolve,
    find: 'if (bad !== undefined) return',
    replace: 'if (false) return',
    tests: [resolving],
  },
  {
    name: 'leave a blocked address beside a good one',
    breaks: 'One blocked address refuses them all.',
    file: resolve,
    find: 'if (bad !== undefined) return',
    replace: 'if (bad !== undefined && addresses.length === 1) return',
    tests: [resolving, sending],
  },
  {
    name: 'resolve the name again before the connection',
    breaks: 'A name is resolved once, and the connection goes to an address that was checked.',
    file: 'src/webhook/send.ts',
    find: 'const { addresses } = resolution',
    replace:
      'const again = await resolveHost(url.hostname, options.resolver, deadline); const { addresses } = again.kind === "ok" ? again : resolution',
    tests: [sending],
  },
  {
    name: 'stay where the kernel strayed to',
    breaks: 'A connection to another address than the checked one is refused.',
    file: 'src/webhook/connect.ts',
    find: '|| isSame(socket.remoteAddress, to.address)) return',
    replace: '|| true) return',
    tests: [sending],
  },
  {
    name: 'take a blocked literal',
    breaks: 'A literal of a blocked address is refused.',
    file: url,
    find: 'if (isRefusedAddress(url.hostname, allowNetworks)) {',
    replace: 'if (false) {',
    tests: [urls],
  },
  {
    name: 'take an internal name',
    breaks: 'Internal host names are refused.',
    file: url,
    find: 'if (labels.length === 1 || INTERNAL_NAMES.some',
    replace: 'if (labels.length === 1 && INTERNAL_NAMES.some',
    tests: [urls],
  },
  {
    name: 'take credentials in a URL',
    breaks: 'A URL with credentials is refused.',
    file: url,
    find: "if (authority.includes('@'))",
    replace: 'if (false)',
    tests: [urls],
  },
  {
    name: 'open the metadata network',
    breaks: '169.254.0.0/16 is blocked.',
    file: 'src/webhook/networks.ts',
    find: '169.254.0.0/16 ',
    replace: '',
    tests: [networks],
  },
  {
    name: 'take IPv6 outside global unicast',
    breaks: 'IPv6 is refused unless it is plainly global.',
    file: 'src/webhook/networks.ts',
    find: '!contains(GLOBAL_IPV6, address) || ',
    replace: '',
    tests: [networks],
  },
  {
    name: 'take any certificate',
    breaks: 'The certificate is valid for the host of the URL.',
    file: 'src/webhook/connect.ts',
    find: 'rejectUnauthorized: true',
    replace: 'rejectUnauthorized: false',
    tests: ['test/webhook/send_tls.test.ts'],
  },
  {
    name: 'check the URL at order time only',
    breaks: 'A URL is checked again before each delivery.',
    file: 'src/webhook/send.ts',
    find: 'const check = checkCallbackUrl(delivery.url, options.allowNetworks)',
    replace:
      'const check = { ok: true as const, url: new URL(delivery.url), kind: undefined as never, reason: undefined as never }',
    tests: [sending],
  },
  {
    name: 'place an order with a refused URL',
    breaks: 'An order with a refused callback URL is refused.',
    file: 'db/functions/core/orders/judge_orders.sql',
    find: "when r ->> 'callbackError' is not null then",
    replace: 'when false then',
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
]
