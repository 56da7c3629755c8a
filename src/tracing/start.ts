import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import { noTracer, type Tracing } from './tracer.ts'

/** Starts the export of traces where it is set; else nothing of it is loaded. `serviceName` is the default one. */
export async function startTracing(config: Pick<Config, 'tracing'>, serviceName: string, log: Log): Promise<Tracing> {
  if (config.tracing === undefined) return { tracer: noTracer, end: async () => {} }
  const { startOpenTelemetry } = await import('./open_telemetry.ts')
  return startOpenTelemetry(config.tracing, serviceName, log)
}
