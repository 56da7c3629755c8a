import { accountRoutes } from './account.ts'
import { catalogRoutes } from './catalog.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { orderRoutes } from './orders.ts'
import { resultRoutes } from './results.ts'
import type { Route } from './route.ts'
import { simulationRoutes } from './simulation.ts'
import { supplierRoutes } from './suppliers.ts'

/** All routes of the API, in the order of the OpenAPI document. */
export const apiRoutes: Route[] = [
  ...accountRoutes,
  ...catalogRoutes,
  ...orderRoutes,
  ...resultRoutes,
  ...eventRoutes,
  ...simulationRoutes,
  ...supplierRoutes,
  ...healthRoutes,
]
