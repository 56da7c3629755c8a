import { asOperator } from './connections.ts'
import { knownDemoKey, secretOf } from './demo_data.ts'
import { readOperatorUrl } from './operator_login.ts'

/** The signing secret of the demo partner of the service that `npm start` runs here. Rejects with one line without one. */
export async function demoSecret(): Promise<string> {
  const url = readOperatorUrl()
  const key = knownDemoKey()
  if (url === undefined || key === undefined)
    throw new Error('no service with a demo partner runs here: start one with npm start')
  const secret = await asOperator(url, (db) => secretOf(db, key))
  if (secret === null) throw new Error('the demo partner has no secret')
  return secret
}
