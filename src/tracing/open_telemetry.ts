import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingConfig } from '../config.ts'
import type { Log } from '../log.ts'
import { release } from '../release.ts'
import type { Attributes, Tracer, Tracing } from './tracer.ts'

// Spans beyond these limits are dropped if the collector is unreachable or slow.
const queue = { maxQueueSize: 8_192, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 }
const exportTimeoutMs = 10_000
const maxEndMs = 2_000

/**
 * Exports spans in batches by OTLP over HTTP, in the background: if the collector is unreachable, slow or faulty, only
 * spans are lost.
 */
export function startOpenTelemetry(config: TracingConfig, serviceName: string, log: Log): Tracing {
  const exporter = new OTLPTraceExporter({ url: config.endpoint })
  const named = config.serviceName === undefined ? {} : { 'service.name': config.serviceName }
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': release })
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(named)),
    sampler: samplerFor(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: tellOfFailures(exporter, log),
        exportTimeoutMillis: exportTimeoutMs,
        ...queue,
      }),
    ],
  })
  const ended = () => provider.shutdown().catch(() => {})
  return { tracer: tracerOf(provider), end: () => Promise.race([ended(), sleep(maxEndMs, undefined, { ref: false })]) }
}

function tracerOf(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('supply-ordering')
  return {
    start: ({ name, kind, parent }) => {
      const spanKind = kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT
      const span = tracer.startSpan(name, { kind: spanKind }, contextOf(parent))
      const { traceId, spanId, traceFlags } = span.spanContext()
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end: ({ name, attributes, failed }) => {
          if (name !== undefined) span.updateName(name)
          span.setAttributes(present(attributes))
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
  }
}

function contextOf(parent: string | null): Context {
  if (parent === null) return ROOT_CONTEXT
  const [, traceId = '', spanId = '', flags = ''] = parent.split('-')
  const traceFlags = Number.parseInt(flags, 16)
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function present(attributes: Attributes): { [name: string]: string | number | boolean } {
  return Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) => (value == null ? [] : [[name, value]])),
  )
}

/** As OpenTelemetry specifies OTEL_TRACES_SAMPLER: an unknown value counts as not set. */
function samplerFor({ sampler, samplerArg }: TracingConfig): Sampler {
  const given = Number(samplerArg ?? 1)
  const byRatio = new TraceIdRatioBasedSampler(given >= 0 && given <= 1 ? given : 1)
  const samplers: { [name: string]: Sampler } = {
    always_on: new AlwaysOnSampler(),
    always_off: new AlwaysOffSampler(),
    traceidratio: byRatio,
    parentbased_always_off: new ParentBasedSampler({ root: new AlwaysOffSampler() }),
    parentbased_traceidratio: new ParentBasedSampler({ root: byRatio }),
  }
  return samplers[sampler ?? ''] ?? new ParentBasedSampler({ root: new AlwaysOnSampler() })
}

/**
 * Logs when the collector stops accepting spans, and when it accepts them again, without its address or its answer.
 */
function tellOfFailures(exporter: SpanExporter, log: Log): SpanExporter {
  let fails = false
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined || result.code !== 0
        if (failed && !fails) log.warn('traces cannot be exported: the collector does not take them')
        if (!failed && fails) log.info('traces are exported again')
        fails = failed
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}
