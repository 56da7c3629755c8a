import { loadConfig } from '../config.ts'
import { startSimulator } from '../demo/supplier/simulator.ts'
import { createLog } from '../log.ts'
import { runUntilEnded } from './lifecycle.ts'

/** `npm run supplier`: a simulated supplier on HOST and PORT (4000), for demonstrations and trials. */
export async function supplier(): Promise<void> {
  const config = loadConfig(process.env, { command: 'supplier' })
  const log = createLog(config.logLevel)
  const simulator = await startSimulator({
    host: config.host,
    port: config.port,
    token: config.supplierToken,
    log: (event) => log.info(event, 'simulated supplier'),
  })
  await runUntilEnded(log, [], [[simulator.close]], () =>
    console.log(`supplier ready: ${simulator.url} (token ${simulator.token})`),
  )
}
