import { errorCode } from '../network/error_code.ts'

/** Why an attempt had no answer, as it is recorded and as partners read it. */
type DeliveryErrorKind = 'connection_error' | 'timeout' | 'tls_error' | 'bad_response' | 'name_not_resolved'

/** Why there was no answer. `error` is a short technical text for the operators, without secrets. */
export type Failure = { errorKind: DeliveryErrorKind; error: string }

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
 * The failure of the network that an error stands for. It is made from the error's code alone and thus stable;
 * messages could carry addresses, header values or certificates.
 */
export function failureOf(error: unknown): Failure {
  const code = errorCode(error) ?? 'unknown error'
  if (code.startsWith('HPE_')) {
    return { errorKind: 'bad_response', error: TEXTS[code] ?? `not an HTTP response: ${code}` }
  }
  if (code.startsWith('ERR_SSL_')) return tlsFailureOf(error)
  const errorKind = code === 'ETIMEDOUT' ? 'timeout' : 'connection_error'
  return { errorKind, error: TEXTS[code] ?? `connection failed: ${code}` }
}

/** A failed TLS handshake, such as `TLS: CERT_HAS_EXPIRED`. */
export function tlsFailureOf(error: unknown): Failure {
  const code = errorCode(error) ?? 'unknown error'
  return { errorKind: 'tls_error', error: `TLS: ${TEXTS[code] ?? code}` }
}
