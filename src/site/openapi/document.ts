import { namedSchemas, securitySchemes } from './components.ts'
import { headers } from './headers.ts'
import { componentSchemas } from './json_schema.ts'
import { overview } from './overview.ts'
import { sharedResponses } from './refusals.ts'
import { balancePaths } from './routes/balance.ts'
import { catalogPaths } from './routes/catalog.ts'
import { deliveryPaths } from './routes/deliveries.ts'
import { mePaths } from './routes/me.ts'
import { orderPaths } from './routes/orders.ts'
import { platformPaths } from './routes/platform.ts'
import { quotePaths } from './routes/quotes.ts'
import { resultPaths } from './routes/results.ts'
import { simulationPaths } from './routes/simulation.ts'
import { supplierPaths } from './routes/suppliers.ts'
import { webhooks } from './webhooks.ts'

const tags = [
  { name: 'Account', description: 'Who you are to the service.' },
  { name: 'Catalog', description: 'Games and products.' },
  { name: 'Orders', description: 'Place orders and read them.' },
  { name: 'Results', description: 'The results of your orders, in the order in which they became final.' },
  { name: 'Balance', description: 'The balance and its transactions.' },
  { name: 'Webhooks', description: 'The events that the service sends to you, and their redelivery.' },
  { name: 'Simulation', description: 'Try orders and your receiver, on an account in test mode.' },
  { name: 'Suppliers', description: 'For suppliers, not for partners.' },
  { name: 'Documents', description: 'This document, and the guide.' },
  { name: 'State', description: 'For load balancers and supervisors.' },
]

/**
 * The OpenAPI 3.1 document of the whole platform, made of the very schemas that check requests. `publicUrl` is where
 * partners reach the service; without it the document means wherever it was read from.
 */
export function openApiDocument(publicUrl?: string) {
  const base = publicUrl?.replace(/(?<!\/)\/+$/, '') ?? ''
  return {
    openapi: '3.1.0',
    info: {
      title: 'Supply ordering',
      version: '1',
      summary: 'A wholesale ordering service for business partners.',
      description: overview,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'The guide for partners', url: `${base}/docs` },
    servers: [{ url: base || '/' }],
    security: [{ apiKey: [] }],
    tags,
    paths: {
      ...mePaths,
      ...catalogPaths,
      ...orderPaths,
      ...quotePaths,
      ...deliveryPaths,
      ...resultPaths,
      ...balancePaths,
      ...simulationPaths,
      ...supplierPaths,
      ...platformPaths,
    },
    webhooks,
    components: {
      schemas: componentSchemas(namedSchemas),
      responses: sharedResponses,
      headers,
      securitySchemes,
    },
  }
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>
