import { defineConfig } from 'vitest/config'

// What mostly computes: rules in SQL, routes, adapters, units.
const fast = [
  'test/{sql,suppliers,messages,network,client,tracing}/**/*.test.ts',
  'test/http/{routes,middleware}/**/*.test.ts',
]

const shared = {
  globalSetup: ['test/support/global_setup.ts'],
  pool: 'forks' as const,
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 30_000,
  // A busy machine needs longer, and a test that waits loses nothing; but a webhook is retried after a minute.
  expect: { poll: { timeout: 45_000 } },
}

export default defineConfig({
  test: {
    projects: [
      { test: { ...shared, name: 'fast', include: fast, maxWorkers: 3, sequence: { groupOrder: 0 } } },
      // Kills, outages, failover, locks, recovery, programs, browser: these mostly wait.
      {
        test: {
          ...shared,
          name: 'faults',
          include: ['test/**/*.test.ts'],
          exclude: fast,
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
