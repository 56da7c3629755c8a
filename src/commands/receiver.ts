import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { describeReceived, describeSession } from '../demo/receiver/describe.ts'
import { type Answer, type Receiver, startReceiver } from '../demo/receiver/receiver.ts'
import { errorCode } from '../network/error_code.ts'
import { asOperator } from './connections.ts'
import { knownDemoKey } from './demo_data.ts'
import { readOperatorUrl } from './operator_login.ts'
import { webhookSecretOf } from './sealing.ts'

const usage = `usage: npm run receiver -- [options]

Receives webhooks as a partner's backend should: verifies, deduplicates and prints them.

  --port <port>          the port to listen on, default 4100
  --secret-file <path>   a file that holds the account's signing secret, 64 hex characters; - is standard input
  --demo                 the secret of the demo partner of the service that npm start runs here
  --answer <answer>      the answer to valid deliveries: ok (200, the default), a status such as 503, or hang (none)
`

type Options = { port: number; secret: string | undefined; answer: Answer }

/** A fault in the command line, or in the secret that it names. */
class UsageError extends Error {}

/**
 * `npm run receiver`: starts a receiver of webhooks (specification 6) and prints what arrives, until SIGINT or SIGTERM.
 * A wrong option or an unreadable secret is one line on standard error with exit code 2, a port that cannot be used one
 * with exit code 1. Without a secret it says so, and accepts deliveries unverified.
 */
export async function receiver(argv: string[]): Promise<void> {
  if (argv.includes('--help')) return console.log(usage)
  try {
    const options = await readOptions(argv)
    const receiver = await start(options)
    const ended = endSignal()
    console.log(greeting(receiver.url, options))
    await ended
    await receiver.close()
    // A terminal shows a Ctrl-C as ^C, without a line break.
    if (process.stdout.isTTY) console.log()
    console.log(describeSession(receiver.received))
  } catch (error) {
    console.error(`receiver: ${error instanceof Error ? error.message : error}`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}

async function readOptions(argv: string[]): Promise<Options> {
  const values = readArguments(argv)
  const { port = '4100' } = values
  refuseUnless(isPort(port), `--port ${port} is not a port (0 to 65535)`)
  return { port: Number(port), answer: readAnswer(values.answer ?? 'ok'), secret: await readSecret(values) }
}

function refuseUnless(isRight: boolean, fault: string): void {
  if (!isRight) throw new UsageError(fault)
}

function readArguments(argv: string[]) {
  const option = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    const options = { port: option, 'secret-file': option, demo: flag, answer: option }
    return parseArgs({ args: argv, options }).values
  } catch (error) {
    // Node adds advice in further sentences and lines.
    const [fault = ''] = error instanceof Error ? error.message.split(/\.\s|\n/) : []
    throw new UsageError(`${fault.replace(/\.$/, '')}; --help shows the options`)
  }
}

function readAnswer(given: string): Answer {
  if (given === 'ok' || given === 'hang') return given
  refuseUnless(/^[2-5]\d\d$/.test(given), `--answer ${given} is neither ok, hang nor a status from 200 to 599`)
  return Number(given)
}

const isPort = (given: string) => /^\d{1,5}$/.test(given) && Number(given) <= 65_535

async function readSecret(values: ReturnType<typeof readArguments>): Promise<string | undefined> {
  const { 'secret-file': file, demo } = values
  refuseUnless(!demo || file === undefined, '--secret-file and --demo exclude each other')
  if (demo) return readDemoSecret()
  if (file === undefined) return undefined
  const trimmed = (await readSecretFile(file)).trim()
  refuseUnless(/^[0-9a-fA-F]{64}$/.test(trimmed), 'the secret is not 64 hexadecimal characters')
  return trimmed
}

async function readSecretFile(path: string): Promise<string> {
  try {
    return path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`cannot read --secret-file ${path}: ${reasonOf(error)}`)
  }
}

/** The signing secret of the demo partner of the service that `npm start` runs here. */
async function readDemoSecret(): Promise<string> {
  const url = readOperatorUrl()
  const key = knownDemoKey()
  if (url === undefined || key === undefined)
    throw new UsageError('--demo: no service with a demo partner runs here: start one with npm start')
  try {
    const { dataKeys } = loadConfig(process.env, { command: 'receiver' })
    const secret = await asOperator(url, (db) => webhookSecretOf(db, dataKeys, key))
    if (secret !== null) return secret
  } catch (error) {
    throw new UsageError(`--demo: ${error instanceof Error ? error.message : error}`)
  }
  throw new UsageError('--demo: the demo partner has no secret')
}

async function start({ secret, ...rest }: Options): Promise<Receiver> {
  const colours = process.stdout.hasColors?.() ?? false
  try {
    return await startReceiver({
      ...rest,
      secret: secret ?? (() => undefined),
      onEvent: (received) => console.log(describeReceived(received, { colours })),
    })
  } catch (error) {
    throw new Error(`cannot listen on port ${rest.port}: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  const code = errorCode(error) ?? String(error)
  return reasons[code] ?? code
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is taken',
  EACCES: 'permission denied',
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
}

function greeting(url: string, { answer, secret }: Options): string {
  const status = answer === 'ok' ? '200' : answer === 'hang' ? 'nothing' : answer
  const trust =
    secret === undefined
      ? `No secret given: nothing is verified, and anyone could have sent what is shown. Ctrl-C stops the receiver.
Pass the secret that the operators gave you with --secret-file; --demo uses that of the demo partner of npm start.`
      : 'Signatures are verified. Ctrl-C stops the receiver.'
  return `receiver: listening on ${url}, answering ${status}\n${trust}`
}

/**
 * Waits for SIGINT or SIGTERM. A terminal's Ctrl-C arrives twice, from the terminal and a little later from npm. The
 * second one must not hit the process while it exits, because that looks like a crash.
 */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => setTimeout(resolve, 200)
    process.on('SIGINT', end)
    process.on('SIGTERM', end)
  })
}
