import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts a text by AES-256-GCM under a random nonce. It can be decrypted only with the same key and the same
 * `boundTo`.
 */
export function encrypt(key: KeyObject | Buffer, plain: string, boundTo: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(Buffer.from(boundTo, 'utf8'))
  const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, encrypted, cipher.getAuthTag()])
}

/** The text that `encrypt` was given; undefined if the key, `boundTo` or a byte differs. */
export function decrypt(key: KeyObject | Buffer, encrypted: Buffer, boundTo: string): string | undefined {
  if (encrypted.length < nonceBytes + tagBytes) return undefined
  const options = { authTagLength: tagBytes }
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, nonceBytes), options)
  decipher.setAAD(Buffer.from(boundTo, 'utf8'))
  decipher.setAuthTag(encrypted.subarray(-tagBytes))
  try {
    const text = encrypted.subarray(nonceBytes, -tagBytes)
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
