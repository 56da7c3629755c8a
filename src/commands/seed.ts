import { loadConfig } from '../config.ts'
import { simulatorToken } from '../demo/supplier/simulator.ts'
import { demoGreeting, loadDemo } from './demo_data.ts'

/**
 * `npm run seed`: what `npm start` does by itself for its demo, for a service in several processes. Loads the demo
 * catalog, whose supplier is at SUPPLIER_URL, into the database of DATABASE_URL, and prints the demo partner's api key.
 */
export async function seed(): Promise<void> {
  const config = loadConfig(process.env, { command: 'seed' })
  const simulator = { url: config.supplierUrl, token: config.supplierToken ?? simulatorToken }
  const apiKey = await loadDemo(config.databaseDirectUrl ?? '', simulator, config.dataKeys)
  console.log(demoGreeting(config.publicUrl ?? `http://127.0.0.1:${config.port}`, apiKey))
}
