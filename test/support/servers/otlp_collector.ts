import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as it arrived, with the name of the service that sent it. */
type ReceivedSpan = {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  status: { code?: number }
  attributes: { [name: string]: unknown }
}

/** A running collector: what it received, and the answers that it owes. */
export type OtlpCollector = {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT takes it. */
  url: string
  spans: ReceivedSpan[]
  /** The bodies as they came. */
  bodies: string[]
  paths: string[]
  unanswered: ServerResponse[]
  close: () => Promise<void>
}

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

/** Starts a receiver of OTLP over HTTP in JSON on 127.0.0.1; `answer` is a status, or it never answers. */
export async function startOtlpCollector(answer: number | 'hang' = 200): Promise<OtlpCollector> {
  const received = { spans: [] as ReceivedSpan[], bodies: [] as string[], paths: [] as string[] }
  const unanswered: ServerResponse[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    received.paths.push(request.url ?? '')
    received.bodies.push(body)
    received.spans.push(...spansOf(JSON.parse(body)))
    if (answer === 'hang') unanswered.push(response)
    else response.writeHead(answer, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...received,
    unanswered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(plain(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: plain(span.attributes) })),
    )
  })
}

function plain(attributes: Attribute[]): { [name: string]: unknown } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
