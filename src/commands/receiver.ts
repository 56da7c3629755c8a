import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { describeReceived, describeSession } from '../demo/receiver/describe.ts'
import { type Answer, type Receiver, startReceiver } from '../demo/receiver/receiver.ts'
import { printable } from '../demo/terminal_text.ts'
import { errorCode } from '../network/error_code.ts'
import { asOperator } from './connections.ts'
import { knownDemoKey, secretOf } from './demo_data.ts'
import { readOperatorUrl } from './operator_login.ts'

const usage = `usage: npm run receiver -- [options]

Receives webhooks as a partner's backend should: verifies, deduplicates and prints them.

  --port <port>          where to listen, default 4100
  --host <address>       default 127.0.0.1
  --secret-file <path>   a file that holds the account's signing secret, 64 hex characters; - is standard input
  --secret <secret>      the secret itself; other users of the machine can see it in the list of processes
  --demo                 the secret of the demo partner, from the service that npm start runs here
  --answer <answer>      to good deliveries: ok (200, the default), a status such as 503, or hang (none at all)
  --retry-after <s>      the Retry-After of a 429 or 503, in seconds
  --delay <s>            how long an answer is held back, in seconds; the service waits 10
  --show-body            prints each body as it came, with the keys in it
`

type Options = {
  port: number
  host: string
  secret: string | undefined
  answer: Answer
  retryAfter: number | undefined
  delayMs: number | undefined
  showBody: boolean
}

type Parsed = { ok: true; options: Options } | { ok: false; fault: string }

/**
 * `npm run receiver`: starts a receiver of webhooks (specification 6) from the command line and prints what arrives,
 * until SIGINT or SIGTERM. A wrong option, an unreadable secret and a port that cannot be had are each told in one
 * line on standard error, with exit code 2 for the first two and 1 for the last. Without a secret it says so, and
 * takes deliveries unverified.
 */
export async function receiver(argv: string[]): Promise<void> {
  if (argv.includes('--help')) return console.log(usage)
  const parsed = await parseOptions(argv)
  if (!parsed.ok) return fail(2, parsed.fault)
  const started = await start(parsed.options)
  if (!started.ok) return fail(1, started.fault)
  const ended = endSignal()
  console.log(greeting(started.receiver.url, parsed.options))
  await ended
  await started.receiver.close()
  // A terminal shows a Ctrl-C as ^C, without a line break.
  if (process.stdout.isTTY) console.log()
  console.log(describeSession(started.receiver.received))
}

function fail(exitCode: number, fault: string): void {
  console.error(`receiver: ${fault}`)
  process.exitCode = exitCode
}

async function parseOptions(argv: string[]): Promise<Parsed> {
  const read = readArguments(argv)
  if (!read.ok) return read
  const { port = '4100', host = '127.0.0.1', 'retry-after': retryAfter, delay } = read.values
  const answer = readAnswer(read.values.answer ?? 'ok')
  if (!isWholeNumber(port, 65_535)) return { ok: false, fault: `--port ${port} is no port (0 to 65535)` }
  if (answer === undefined) {
    const fault = `--answer ${read.values.answer} is neither ok, hang nor a status from 200 to 599`
    return { ok: false, fault }
  }
  if (retryAfter !== undefined && answer !== 429 && answer !== 503) {
    return { ok: false, fault: '--retry-after goes with --answer 429 or 503 only' }
  }
  if (delay !== undefined && !/^\d{1,3}(\.\d{1,3})?$/.test(delay)) {
    return { ok: false, fault: `--delay ${delay} is no number of seconds below 1000` }
  }
  if (retryAfter !== undefined && !isWholeNumber(retryAfter, 999_999_999)) {
    return { ok: false, fault: `--retry-after ${retryAfter} is no whole number of seconds` }
  }
  const secret = await readSecret(read.values)
  if (!secret.ok) return secret
  const seconds = retryAfter === undefined ? undefined : Number(retryAfter)
  const delayMs = delay === undefined ? undefined : Number(delay) * 1_000
  const showBody = read.values['show-body'] === true
  return {
    ok: true,
    options: {
      port: Number(port),
      host,
      answer,
      secret: secret.value,
      retryAfter: seconds,
      delayMs,
      showBody,
    },
  }
}

function readAnswer(text: string): 'ok' | 'hang' | number | undefined {
  if (text === 'ok' || text === 'hang') return text
  return /^[2-5]\d\d$/.test(text) ? Number(text) : undefined
}

function isWholeNumber(text: string, highest: number): boolean {
  return /^\d{1,9}$/.test(text) && Number(text) <= highest
}

type Values = {
  [name in 'port' | 'host' | 'secret' | 'secret-file' | 'answer' | 'retry-after' | 'delay']?: string
} & { [name in 'demo' | 'show-body']?: boolean }

function readArguments(argv: string[]): { ok: true; values: Values } | { ok: false; fault: string } {
  const option = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: argv,
      options: {
        port: option,
        host: option,
        secret: option,
        'secret-file': option,
        answer: option,
        'retry-after': option,
        delay: option,
        demo: { type: 'boolean' },
        'show-body': { type: 'boolean' },
      },
    })
    return { ok: true, values }
  } catch (error) {
    // Node appends advice to what is wrong, in further sentences and lines.
    const [fault = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    return { ok: false, fault: `${fault.replace(/\.$/, '')}; --help shows the options` }
  }
}

type Secret = { ok: true; value: string | undefined } | { ok: false; fault: string }

async function readSecret({ secret: given, 'secret-file': file, demo }: Values): Promise<Secret> {
  const sources = [given, file, demo].filter((source) => source !== undefined)
  if (sources.length === 0) return { ok: true, value: undefined }
  if (sources.length > 1) {
    return { ok: false, fault: '--secret, --secret-file and --demo exclude each other' }
  }
  if (demo === true) return readDemoSecret()
  const read = file === undefined ? { ok: true as const, value: given ?? '' } : await readSecretFile(file)
  if (!read.ok) return read
  const value = read.value.trim()
  if (/^[0-9a-fA-F]{64}$/.test(value)) return { ok: true, value }
  return { ok: false, fault: 'the secret is not 64 hexadecimal characters' }
}

async function readDemoSecret(): Promise<Secret> {
  try {
    return { ok: true, value: await demoSecret() }
  } catch (error) {
    return { ok: false, fault: `--demo: ${error instanceof Error ? error.message : error}` }
  }
}

async function readSecretFile(
  path: string,
): Promise<{ ok: true; value: string } | { ok: false; fault: string }> {
  try {
    return { ok: true, value: path === '-' ? await text(process.stdin) : await readFile(path, 'utf8') }
  } catch (error) {
    return { ok: false, fault: `cannot read --secret-file ${path}: ${reasonOf(error)}` }
  }
}

async function start(
  options: Options,
): Promise<{ ok: true; receiver: Receiver } | { ok: false; fault: string }> {
  const { secret, retryAfter, delayMs, showBody, ...rest } = options
  const colours = process.stdout.hasColors?.() ?? false
  try {
    const receiver = await startReceiver({
      ...rest,
      secret: secret ?? (() => undefined),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      ...(delayMs === undefined ? {} : { delayMs }),
      ...(showBody ? { onBody: (body) => console.log(printable(body.toString('utf8'))) } : {}),
      onEvent: (received) => console.log(describeReceived(received, { colours })),
    })
    return { ok: true, receiver }
  } catch (error) {
    return { ok: false, fault: `cannot listen on ${options.host} port ${options.port}: ${reasonOf(error)}` }
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? String(error)
  return reasons[code] ?? code
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is taken',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'no such address on this machine',
  ENOTFOUND: 'no such host',
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
}

function greeting(url: string, { answer, retryAfter, delayMs, secret }: Options): string {
  const status = answer === 'ok' ? '200' : answer === 'hang' ? 'nothing at all' : answer
  const wait = retryAfter === undefined ? '' : ` with Retry-After: ${retryAfter}`
  const delay = delayMs === undefined ? '' : ` after ${delayMs / 1_000} s`
  const trust =
    secret === undefined
      ? `No secret given: nothing is verified, and anyone could have sent what is shown. Ctrl-C ends it.
Yours is what the operators gave you (--secret-file); --demo takes that of the demo partner that npm start runs here.`
      : 'Signatures are verified. Ctrl-C ends it.'
  return `receiver: listening on ${url}, answering ${status}${wait}${delay}\n${trust}`
}

/**
 * Waits for SIGINT or SIGTERM. A terminal's Ctrl-C comes twice, from the terminal and, a little later, from npm: it waits
 * for the second one too, which would otherwise hit the process while it exits and make that look like a crash.
 */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => setTimeout(resolve, 200)
    process.on('SIGINT', end)
    process.on('SIGTERM', end)
  })
}

/** The signing secret of the demo partner of the service that `npm start` runs here. Rejects with one line without one. */
async function demoSecret(): Promise<string> {
  const url = readOperatorUrl()
  const key = knownDemoKey()
  if (url === undefined || key === undefined)
    throw new Error('no service with a demo partner runs here: start one with npm start')
  const secret = await asOperator(url, (db) => secretOf(db, key))
  if (secret === null) throw new Error('the demo partner has no secret')
  return secret
}
