import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import pg from 'pg'
import type { SessionSettings } from '../database/connections/session.ts'

/** The passwords of the logins of the service's processes. A login without one does not change. */
export type LoginPasswords = { api?: string | undefined; worker?: string | undefined; operator?: string | undefined }

/** The settings of the sessions of a process's login. Without them, the login keeps its settings. */
export type LoginSettings = { api?: SessionSettings; worker?: SessionSettings; operator?: SessionSettings }

const logins = [
  { process: 'api', login: 'supply_api_login', role: 'supply_api' },
  { process: 'worker', login: 'supply_worker_login', role: 'supply_worker' },
  { process: 'operator', login: 'supply_operator_login', role: 'supply_operator' },
] as const

/**
 * Makes a database login for each process that has a password here, or gives the login that exists that password:
 * `supply_api_login`, `supply_worker_login`, `supply_operator_login`. Those of the API and the worker may take on their
 * role and have no right of their own, so a session that resets its role has no rights. That of the operators is for
 * people in psql, too: it has the rights of its role at once, and its transactions are bounded. Passwords are of ASCII
 * characters.
 *
 * The settings of a login replace all that it had in this database. A login needs them, because a pooler passes no
 * settings on.
 *
 * `client` is a session that may create roles, on a migrated database. Returns the names of the logins. Rejects with
 * the server's error if the session may not do that.
 */
export async function ensureLogins(
  client: pg.Client,
  passwords: LoginPasswords,
  settings: LoginSettings = {},
): Promise<string[]> {
  const ensured: string[] = []
  for (const { process, login, role } of logins) {
    const password = passwords[process]
    if (password === undefined) continue
    const { rowCount } = await client.query('select from pg_catalog.pg_roles where rolname = $1', [login])
    if (rowCount === 0) await client.query(`create role ${login}`)
    await client.query(`alter role ${login} login password ${pg.escapeLiteral(verifierOf(password))}`)
    const isOperator = process === 'operator'
    await client.query(`grant ${role} to ${login} with inherit ${isOperator}, set true`)
    if (isOperator) await client.query('select core.limit_operator($1)', [login])
    await setAll(client, login, settings[process])
    ensured.push(login)
  }
  return ensured
}

/** Replaces the settings of a login in this database. No session begins between the old and the new ones. */
async function setAll(client: pg.Client, login: string, settings: SessionSettings | undefined): Promise<void> {
  if (settings === undefined) return
  const { rows } = await client.query<{ database: string }>('select pg_catalog.current_database() as database')
  const where = `${login} in database ${client.escapeIdentifier(rows[0]?.database ?? '')}`
  await client.query('begin')
  await client.query(`alter role ${where} reset all`)
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`alter role ${where} set ${name} to ${client.escapeLiteral(String(value))}`)
  }
  await client.query('commit')
}

/**
 * The verifier of a password that PostgreSQL stores (RFC 5803). The server accepts it in place of the password, so no
 * logged statement contains the password.
 */
function verifierOf(password: string): string {
  const rounds = 4096
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256')
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  const serverKey = keyed('Server Key').toString('base64')
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
