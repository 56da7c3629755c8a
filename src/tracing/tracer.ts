/** What a span tells of its work; never a secret, and nothing of a body. What is undefined is left out. */
export type Attributes = { [name: string]: string | number | boolean | null | undefined }

type SpanStart = {
  name: string
  /** Whether the work answers a request, or makes one. */
  kind: 'server' | 'client'
  /** The trace context (`parseTraceparent`) that the work belongs to; null: it begins a trace. */
  parent: string | null
}

type SpanEnd = { name?: string; attributes: Attributes; failed: boolean }

/** A piece of work as a trace shows it. */
export type Span = {
  /** The trace context that goes with the work, to logs and to others; null: none. */
  traceparent: string | null
  /** Ends it. A span that is never ended is never told. */
  end(end: SpanEnd): void
}

/** Makes spans. It costs the work next to nothing, and never fails it. */
export type Tracer = { start(span: SpanStart): Span }

/** The tracing of a process. `end` sends what is still to be sent, for two seconds at most. */
export type Tracing = { tracer: Tracer; end: () => Promise<void> }

/** Where traces are off: work goes on in the context that it came with. */
export const noTracer: Tracer = {
  start: ({ parent }) => ({ traceparent: parent, end: () => {} }),
}
