import { answer, named } from './named.ts'

export const me = {
  partner: named(
    'A partner with one server',
    answer({
      account: { id: 2, name: 'Acme Games' },
      ...{ mode: 'live', currency: 'RUB' },
      key: {
        ...{ prefix: 'svc_live_4c0d', last4: '0998', label: 'shop', expiresAt: null },
        ...{ allowedOrigins: null, allowedIps: ['203.0.113.7/32'] },
      },
      rateLimit: { limit: 500, remaining: 499, resetSeconds: 60 },
      address: '203.0.113.7',
    }),
  ),
}
