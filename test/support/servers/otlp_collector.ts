import { startSupplierServer } from './supplier_server.ts'

/** A span as it arrived, with the name and version of the service that sent it. */
type ReceivedSpan = {
  service: string
  version: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  status: { code?: number }
  attributes: { [name: string]: unknown }
}

/** A running collector, and what it received. */
export type OtlpCollector = {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT takes it. */
  url: string
  spans: ReceivedSpan[]
  /** The bodies as they came. */
  bodies: string[]
  paths: string[]
  close: () => Promise<void>
}

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean }
type Attribute = { key: string; value: Value }
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'version' | 'attributes'> & { attributes: Attribute[] })[] }[]
  }[]
}

/** Starts a receiver of OTLP over HTTP in JSON on 127.0.0.1; `answer` is a status, or it never answers. */
export async function startOtlpCollector(answer: number | 'hang' = 200): Promise<OtlpCollector> {
  const received = { spans: [] as ReceivedSpan[], bodies: [] as string[], paths: [] as string[] }
  const { url, close } = await startSupplierServer(({ target, rawBody }) => {
    received.paths.push(target)
    received.bodies.push(rawBody)
    received.spans.push(...spansOf(JSON.parse(rawBody)))
    return answer === 'hang' ? 'hang' : { status: answer, json: {} }
  })
  return { url, ...received, close }
}

function spansOf({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const { 'service.name': service, 'service.version': version } = plain(resource.attributes)
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: `${service}`,
        version: `${version}`,
        attributes: plain(span.attributes),
      })),
    )
  })
}

function plain(attributes: Attribute[]): { [name: string]: unknown } {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
