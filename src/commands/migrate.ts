import { loadConfig } from '../config.ts'
import { migrate } from '../migrate/migrate.ts'
import { loginSettings } from './connections.ts'

/**
 * `npm run migrate`: brings the database up to date, over a direct connection, and makes the logins that passwords are
 * set for.
 */
export async function migrateCommand(): Promise<void> {
  const config = loadConfig(process.env, { command: 'migrate' })
  const { applied, codeReloaded } = await migrate({
    databaseUrl: config.databaseDirectUrl ?? '',
    logins: config.loginPasswords,
    loginSettings,
    log: (line) => console.log(line),
  })
  if (applied.length === 0 && !codeReloaded) console.log('the database is up to date')
}
