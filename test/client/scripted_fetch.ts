import { type ClientOptions, SupplyClient } from '../../src/client/index.ts'

export const apiKey = `svc_live_${'0123456789ab'.repeat(4)}`

export type Sent = { method: string; url: string; headers: Headers; body: string | null }

/** One answer: a status with a body and headers, or how the connection breaks. */
export type Step =
  | { status: number; json?: unknown; text?: string; headers?: { [name: string]: string } }
  | 'lost'
  | 'hang'

/** A client whose requests meet one step after the other; the last one stays. `sent` holds them all. */
export function scriptedClient(
  steps: Step[] | ((sent: Sent, nth: number) => Step),
  options: Partial<ClientOptions> = {},
) {
  const sent: Sent[] = []
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    const request = {
      method: init.method ?? '',
      url: String(input),
      headers,
      body: init.body as string | null,
    }
    sent.push(request)
    const step = Array.isArray(steps)
      ? steps[Math.min(sent.length, steps.length) - 1]
      : steps(request, sent.length)
    if (step === undefined || step === 'lost')
      throw new TypeError('fetch failed', { cause: new Error('ECONNRESET') })
    if (step === 'hang') return await abortOf(init.signal)
    return new Response(step.text ?? JSON.stringify(step.json ?? {}), {
      status: step.status,
      headers: step.headers ?? {},
    })
  }
  const client = new SupplyClient({ baseUrl: 'https://supply.example', apiKey, fetch, ...options })
  return { client, sent }
}

function abortOf(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason))
  })
}

export const ok = (data: unknown, status = 200): Step => ({ status, json: { success: true, data } })

export const refusal = (status: number, code: string, more: object = {}): Exclude<Step, string> => ({
  status,
  json: { success: false, error: 'no', code, ...more },
})

export const unavailable: Step = refusal(503, 'UNAVAILABLE')
