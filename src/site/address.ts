import type { Context } from '../http/context.ts'
import { escapeHtml } from './page.ts'

/** The address in the sources of the pages and examples. Answers show the service's own instead. */
export const exampleAddress = 'http://127.0.0.1:3000'

/** The URL by which the client reaches the service, without a final slash. */
export function addressOf(ctx: Context, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  return /^[\w.:[\]-]+$/.test(ctx.host) ? `http://${ctx.host}` : exampleAddress
}

/** A page with the given address in place of the example's. */
export function withAddress(html: string, address: string): string {
  const escaped = escapeHtml(address)
  // In a replacement string, a dollar sign would have a special meaning.
  return html.replaceAll(exampleAddress, () => escaped)
}
