import type { Config } from '../config.ts'
import type { Site } from '../http/app.ts'
import { openApiDocument } from './openapi/document.ts'
import type { SiteOptions } from './options.ts'
import { basePath } from './page.ts'
import { answerBrowsers } from './refusal_pages.ts'
import { siteRoutes } from './routes.ts'

/** What people read: home page, guide, reference and OpenAPI document. Throws if the document cannot be made. */
export function createSite({ publicUrl }: Pick<Config, 'publicUrl'>): Site {
  const options: SiteOptions = { publicUrl, base: basePath(publicUrl), document: openApiDocument() }
  return {
    routes: siteRoutes.map((route) => ({ ...route, handlerFor: () => route.handlerFor(options) })),
    answerBrowsers: answerBrowsers(options),
  }
}
