/** The attributes of a span: never a secret or a part of a body. Undefined attributes are left out. */
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
  /** Ends the span. A span that never ends is never exported. */
  end(end: SpanEnd): void
}

/** Makes spans. A span costs the work almost nothing, and never makes it fail. */
export type Tracer = { start(span: SpanStart): Span }

/** The tracing of a process. `end` sends the remaining spans, for two seconds at most. */
export type Tracing = { tracer: Tracer; end: () => Promise<void> }

/** The tracer when traces are off: work keeps the context of its request. */
export const noTracer: Tracer = { start: ({ parent }) => ({ traceparent: parent, end: () => {} }) }
