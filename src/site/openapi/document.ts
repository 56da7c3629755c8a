import { apiRoutes } from '../../http/routes/routes.ts'
import { release } from '../../release.ts'
import { exampleAddress as address } from '../address.ts'
import { siteRoutes } from '../routes.ts'
import { schemas, securitySchemes } from './components.ts'
import { headers } from './headers.ts'
import { pathsOf } from './operation.ts'
import { overview } from './overview.ts'
import { sharedResponses } from './refusals.ts'
import { webhooks } from './webhooks.ts'

const tags = [
  { name: 'Account', description: 'Your account and your key.' },
  { name: 'Catalog', description: 'Games and products.' },
  { name: 'Orders', description: 'Place orders and read them.' },
  { name: 'Results', description: 'The orders that became final, as a numbered list.' },
  { name: 'Balance', description: 'The balance and its transactions.' },
  { name: 'Webhooks', description: 'The events that the service sends to your `callbackUrl`, and their redelivery.' },
  { name: 'Simulation', description: 'Simulated orders and sample events, for accounts in test mode.' },
  { name: 'Suppliers', description: 'The pushes of suppliers; not for partners.' },
  { name: 'Documents', description: 'The OpenAPI document, the reference and the guide.' },
  { name: 'Health', description: 'For load balancers and supervisors.' },
]

/** The OpenAPI 3.1 document of the whole platform, with the example's address in place of the service's own. */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Supply ordering',
      version: release,
      summary: 'A wholesale ordering service for business partners.',
      description: overview,
      contact: { name: 'The operators of this service', url: `${address}/` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'The guide for partners', url: `${address}/docs` },
    servers: [{ url: address, description: 'This service' }],
    security: [{ apiKey: [] }],
    tags,
    paths: pathsOf([...apiRoutes, ...siteRoutes]),
    webhooks,
    components: { schemas, responses: sharedResponses, headers, securitySchemes },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>
