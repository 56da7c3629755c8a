import { createHash } from 'node:crypto'

export const tokenProblem = 'the token has not the form username:apiKey'

/** Our account: `token` is the API key, `signed` is what a body has that is signed for a reference or a word of the API. */
export type Account = { token: string; signed: (subject: string) => { username: string; sign: string } }

/** Reads the token `username:apiKey`; undefined where it has another form. */
export function readAccount(credential: string): Account | undefined {
  const [, username, token] = /^([!-9;-~]+):([!-~]+)$/.exec(credential) ?? []
  if (username === undefined || token === undefined) return undefined
  // The API prescribes this digest.
  const sign = (subject: string) => createHash('md5').update(`${username}${token}${subject}`).digest('hex')
  return { token, signed: (subject) => ({ username, sign: sign(subject) }) }
}
