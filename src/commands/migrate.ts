import { loadConfig } from '../config.ts'
import { migrate } from '../migrate/migrate.ts'
import { release } from '../release.ts'
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
  console.log(`the database is ${applied.length === 0 && !codeReloaded ? 'already ' : ''}of release ${release}`)
}
