import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { noTracer, type Tracing } from './tracer.ts'

/** Starts the export of traces if it is set; otherwise its code is not loaded. `serviceName` is the default name. */
export async function startTracing(config: Pick<Config, 'tracing'>, serviceName: string, log: Log): Promise<Tracing> {
  if (config.tracing === undefined) return { tracer: noTracer, end: async () => {} }
  const { startOpenTelemetry } = await import('./open_telemetry.ts')
  return startOpenTelemetry(config.tracing, serviceName, log)
}
