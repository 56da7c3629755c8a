import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataDir } from './demo_data.ts'

/** Where `npm start` keeps the URL of the embedded database for operators, while it runs. */
export const operatorUrlFile = join(dataDir, 'operator-url')

/** Where it keeps the logins of operators and of the owner for `psql service=…`, so that `ps` shows no password. */
export const serviceFile = join(dataDir, 'pg_service.conf')

/** The text of a service file of psql with these logins. */
export function serviceFileText(urls: { [service: string]: string }): string {
  return Object.entries(urls)
    .map(([service, text]) => {
      const { hostname, port, pathname, username, password } = new URL(text)
      const settings = { host: hostname, port, dbname: pathname.slice(1), user: username, password }
      return [`[${service}]`, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)].join('\n')
    })
    .join('\n')
}

/** The operators' login of an embedded database, whose URL is a superuser's, with a new password. */
export function newOperatorLogin(superuserUrl: string): { url: string; password: string } {
  const password = randomBytes(24).toString('hex')
  const url = new URL(superuserUrl)
  url.username = 'supply_operator_login'
  url.password = password
  return { url: url.href, password }
}

/** The operators' URL of the embedded database; undefined while `npm start` does not run. */
export function readOperatorUrl(): string | undefined {
  return existsSync(operatorUrlFile) ? readFileSync(operatorUrlFile, 'utf8').trim() : undefined
}

/** The operators' URL of the embedded database. Throws while `npm start` does not run. */
export function embeddedUrl(): string {
  const url = readOperatorUrl()
  if (url === undefined) throw new Error('no service runs here: start one with npm start, or set DATABASE_URL')
  return url
}
