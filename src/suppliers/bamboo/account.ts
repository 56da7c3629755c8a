export const tokenProblem = 'the token has not the form accountId:clientId:clientSecret'

/** Our account: its number, the headers of its client, and the secret that no quotation may hold. */
export type Account = { accountId: number; headers: { authorization: string }; token: string }

/** Reads the token `accountId:clientId:clientSecret`; undefined where it has another form. */
export function readAccount(credential: string): Account | undefined {
  const [, accountId, clientId, token] = /^([1-9]\d{0,8}):([!-9;-~]+):([!-~]+)$/.exec(credential) ?? []
  if (accountId === undefined || clientId === undefined || token === undefined) return undefined
  const authorization = `Basic ${Buffer.from(`${clientId}:${token}`).toString('base64')}`
  return { accountId: Number(accountId), headers: { authorization }, token }
}

/** Reads a sku `productId/faceValue`; undefined where it is none. */
export function readSku(sku: string): { productId: number; faceValue: number } | undefined {
  const [, productId, faceValue] = /^([1-9]\d{0,8})\/(\d{1,7}(?:\.\d{1,2})?)$/.exec(sku) ?? []
  if (productId === undefined || !(Number(faceValue) > 0)) return undefined
  return { productId: Number(productId), faceValue: Number(faceValue) }
}
