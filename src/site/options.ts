import { routeWith } from '../http/routes/route.ts'
import type { ApiDocument } from './reference/api_document.ts'

/** The dependencies of the site's routes. */
export type SiteOptions = {
  publicUrl: string | undefined
  /** The path of PUBLIC_URL, without a final slash, escaped for HTML. */
  base: string
  document: ApiDocument
}

/** Declares a route of the site. */
export const siteRoute = routeWith<SiteOptions>()
