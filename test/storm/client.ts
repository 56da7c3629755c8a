import { Agent, request } from 'undici'
import type { Supervised } from './processes.ts'
import type { Random } from './random.ts'
import { startRelay, type Treatment } from './relay.ts'

/** What came back. Status 0: nothing did, so the request may have been carried out or not. */
export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Of a JSON response, what JSON.parse gives. */
  json: ReturnType<typeof JSON.parse>
}

type Call = {
  key?: string
  headers?: Record<string, string>
  body?: unknown
  /** Loses the answer, or the connection before it comes. */
  treatment?: Treatment
}

/** Partners' and suppliers' way to the API: each request goes to one of the processes, whether that runs or not. */
export type Client = {
  send(method: 'GET' | 'POST', path: string, call?: Call): Promise<Answer>
  close(): Promise<void>
}

const longestMs = 20_000

/** Makes a client of all API processes. */
export async function startClient(apis: readonly Supervised[], random: Random): Promise<Client> {
  const treatments: Treatment[] = ['pass', 'drop answers', 'cut after request']
  const doors = await Promise.all(
    apis.flatMap((api) =>
      treatments.map(async (treatment) => ({ treatment, relay: await startRelay(api.port, () => treatment) })),
    ),
  )
  const kept = new Agent({ connections: 64, headersTimeout: longestMs, bodyTimeout: longestMs })
  const once = new Agent({ pipelining: 0, headersTimeout: longestMs, bodyTimeout: longestMs })

  async function send(method: 'GET' | 'POST', path: string, call: Call = {}): Promise<Answer> {
    const { key, headers = {}, body, treatment = 'pass' } = call
    const { relay } = random.pick(doors.filter((door) => door.treatment === treatment))
    try {
      const response = await request(`http://127.0.0.1:${relay.port}${path}`, {
        dispatcher: treatment === 'pass' ? kept : once,
        method,
        headers: {
          ...(key === undefined ? {} : { 'x-api-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
      })
      const text = await response.body.text()
      const isJson = String(response.headers['content-type']).startsWith('application/json')
      const json = isJson && text !== '' ? JSON.parse(text) : undefined
      return { status: response.statusCode, headers: response.headers, json }
    } catch {
      return { status: 0, headers: {}, json: undefined }
    }
  }
  return {
    send,
    close: async () => {
      await Promise.all([kept.destroy(), once.destroy()])
      await Promise.all(doors.map(({ relay }) => relay.close()))
    },
  }
}
