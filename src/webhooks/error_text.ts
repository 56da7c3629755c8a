import { errorCode } from '../network/error_code.ts'

const TEXTS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed by the receiver',
  EPIPE: 'connection closed by the receiver',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ETIMEDOUT: 'connection timed out',
  HPE_HEADER_OVERFLOW: 'response headers too large',
}

/**
 * The short technical text of a failure of the network, kept with the attempt for the operators. It is made from
 * the error's code alone and thus stable; messages could carry addresses, header values or certificates.
 */
export function errorText(error: unknown): string {
  const code = errorCode(error) ?? 'unknown error'
  if (code.startsWith('HPE_')) return TEXTS[code] ?? `not an HTTP response: ${code}`
  if (code.startsWith('ERR_SSL_')) return tlsErrorText(error)
  return TEXTS[code] ?? `connection failed: ${code}`
}

/** The text of a failed TLS handshake, such as `TLS: CERT_HAS_EXPIRED`. */
export function tlsErrorText(error: unknown): string {
  const code = errorCode(error) ?? 'unknown error'
  return `TLS: ${TEXTS[code] ?? code}`
}
