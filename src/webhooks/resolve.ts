import { Resolver } from 'node:dns/promises'
import { errorCode } from '../network/error_code.ts'
import type { Network } from '../network/networks.ts'
import { isRefusedAddress } from './networks.ts'

/** An address that a name resolves to. */
export type Address = { address: string; family: 4 | 6 }

/**
 * The result of a resolution: addresses that were all checked, the first refused one, or none. `error` is the
 * code of the resolver (`ENOTFOUND`, `ESERVFAIL`, …), `DEADLINE` when the time was up, or `TOO_MANY_ADDRESSES`.
 */
export type Resolution =
  | { kind: 'ok'; addresses: Address[] }
  | { kind: 'blocked'; address: string }
  | { kind: 'unresolved'; error: string }

export type NameResolver = { resolve(hostname: string, deadlineMs: number): Promise<Resolution> }

/**
 * An answer over TCP can hold thousands of addresses, and checking them all would block the event loop for other
 * deliveries. No receiver has more than these in a family.
 */
const MAX_ADDRESSES = 100

/**
 * Makes the resolver of callback names (specification 6.7). `servers` are the DNS servers to ask, such as
 * `127.0.0.1:5353`; without them, the system's. Throws at once when a server is no IP address.
 *
 * `resolve(hostname, deadlineMs)` asks for A and AAAA with c-ares, which follows CNAMEs and uses neither
 * search domains nor the hosts file. It ends within `deadlineMs` milliseconds from the call and never rejects.
 * - Every address of the answer is checked, and one refused address refuses the whole answer. An answer of more than
 *   100 addresses in a family counts as none.
 * - Addresses come in the order of the answer, IPv4 before IPv6.
 * - One family with addresses is enough. When the other has none, fails (some servers answer AAAA with SERVFAIL
 *   or not at all) or is silent for a fifth of the deadline longer, the answer stands: a connection only ever
 *   goes to an address that was checked, never to one of the missing answer.
 */
export function createResolver(options: {
  servers?: readonly string[]
  allowNetworks: readonly Network[]
}): NameResolver {
  newChannel(options.servers)
  return {
    async resolve(hostname, deadlineMs) {
      const answers = await askBothFamilies(newChannel(options.servers), hostname, deadlineMs)
      return checkAnswers(answers, options.allowNetworks)
    },
  }
}

type Answer = { addresses: Address[]; error: string | null }

/** One channel a look-up: cancelling a channel cancels all its queries, and no answer is cached. */
function newChannel(servers: readonly string[] | undefined): Resolver {
  const channel = new Resolver({ timeout: 1000, tries: 3, maxTimeout: 2000 })
  if (servers !== undefined && servers.length > 0) channel.setServers(servers)
  return channel
}

async function askBothFamilies(channel: Resolver, hostname: string, deadlineMs: number): Promise<Answer[]> {
  const timers = [setTimeout(() => channel.cancel(), deadlineMs)]
  const ask = async (family: 4 | 6, query: Promise<string[]>): Promise<Answer> => {
    try {
      const addresses = (await query).map((address) => ({ address, family }))
      timers.push(setTimeout(() => channel.cancel(), deadlineMs / 5))
      return { addresses, error: addresses.length === 0 ? 'ENODATA' : null }
    } catch (error) {
      return { addresses: [], error: failureOf(error) }
    }
  }
  const answers = await Promise.all([ask(4, channel.resolve4(hostname)), ask(6, channel.resolve6(hostname))])
  timers.forEach(clearTimeout)
  return answers
}

function failureOf(error: unknown): string {
  const code = errorCode(error) ?? 'UNKNOWN'
  return code === 'ECANCELLED' ? 'DEADLINE' : code
}

function checkAnswers(answers: Answer[], allowNetworks: readonly Network[]): Resolution {
  if (answers.some((answer) => answer.addresses.length > MAX_ADDRESSES)) {
    return { kind: 'unresolved', error: 'TOO_MANY_ADDRESSES' }
  }
  const addresses = answers.flatMap((answer) => answer.addresses)
  const bad = addresses.find(({ address }) => isRefusedAddress(address, allowNetworks))
  // guard: a blocked address gets no webhook
  if (bad !== undefined) return { kind: 'blocked', address: bad.address }
  if (addresses.length > 0) return { kind: 'ok', addresses }
  const errors = answers.map((answer) => answer.error ?? 'ENODATA')
  const failure = errors.find((error) => error !== 'ENODATA' && error !== 'ENOTFOUND')
  return { kind: 'unresolved', error: failure ?? errors[0] ?? 'ENODATA' }
}
