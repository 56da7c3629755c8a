import type { Context } from '../http/context.ts'
import { escapeHtml } from './page.ts'

/** The address that the commands of the pages are written for; a page shows the service's own instead. */
export const exampleAddress = 'http://127.0.0.1:3000'

/** The URL under which the client reaches the service, without a slash at its end. */
export function addressOf(ctx: Context, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl.replace(/(?<!\/)\/+$/, '')
  return /^[\w.:[\]-]+$/.test(ctx.host) ? `http://${ctx.host}` : exampleAddress
}

/** A page with the given address in place of the example's. */
export function withAddress(html: string, address: string): string {
  const escaped = escapeHtml(address)
  // A replacement that is a text has meanings of its own for what begins with a dollar sign.
  return html.replaceAll(exampleAddress, () => escaped)
}
