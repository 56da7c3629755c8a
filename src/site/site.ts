import type { Config } from '../config.ts'
import type { Site } from '../http/app.ts'
import { addAssetRoutes } from './assets.ts'
import { addGuideRoutes } from './guide.ts'
import { addHomeRoutes } from './home.ts'
import { addReferenceRoutes } from './reference.ts'
import { answerBrowsers } from './refusal_pages.ts'

/** What people read: home page, guide, reference and OpenAPI document. Throws if a page cannot be made. */
export function createSite(config: Pick<Config, 'publicUrl'>): Site {
  return {
    addRoutes(routes) {
      addHomeRoutes(routes, config)
      addReferenceRoutes(routes, config)
      addGuideRoutes(routes, config)
      addAssetRoutes(routes)
    },
    answerBrowsers: answerBrowsers(config),
  }
}
