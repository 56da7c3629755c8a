import type { Route } from '../http/routes/route.ts'
import { assetRoutes } from './assets.ts'
import { guideRoutes } from './guide.ts'
import { homeRoutes } from './home.ts'
import type { SiteOptions } from './options.ts'
import { referenceRoutes } from './reference.ts'

/** All routes of the site, in the order of the OpenAPI document. */
export const siteRoutes: Route<SiteOptions>[] = [...homeRoutes, ...referenceRoutes, ...guideRoutes, ...assetRoutes]
