import { type ClientOptions, SupplyClient } from '../../src/client/index.ts'

export const apiKey = `svc_live_${'0123456789ab'.repeat(4)}`

export type Sent = { method: string; url: string; headers: Headers; body: string | null }

/** One response, or how the connection breaks. */
export type Step =
  | { status: number; json?: unknown; text?: string; headers?: { [name: string]: string } }
  | 'lost'
  | 'hang'

/** A client whose requests get one step after the other; the last one stays. `sent` has all requests. */
export function scriptedClient(
  steps: Step[] | ((sent: Sent, nth: number) => Step),
  options: Partial<ClientOptions> = {},
) {
  const sent: Sent[] = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { method = '', body } = init
    const request = { method, url: String(input), headers: new Headers(init.headers), body: body as string | null }
    sent.push(request)
    const nth = sent.length
    const step = typeof steps === 'function' ? steps(request, nth) : steps[Math.min(nth, steps.length) - 1]
    if (step === 'hang')
      return new Promise((_, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      })
    if (step === undefined || step === 'lost')
      throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
    const { status, json = {}, text = JSON.stringify(json), headers = {} } = step
    return new Response(text, { status, headers })
  }
  const client = new SupplyClient({ baseUrl: 'https://supply.example', apiKey, fetch, ...options })
  return { client, sent }
}

export const ok = (data: unknown, status = 200): Step => ({ status, json: { success: true, data } })

export const refusal = (status: number, code: string, more: object = {}): Exclude<Step, string> => ({
  status,
  json: { success: false, error: 'no', code, ...more },
})

export const unavailable: Step = refusal(503, 'UNAVAILABLE')

/** The error of a call that must fail. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => {
      throw new Error('it succeeded')
    },
    (error: unknown) => error,
  )
