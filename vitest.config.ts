import { defineConfig } from 'vitest/config'

// What tests alone or in the same process as others: rules in SQL, routes, adapters, units.
const fast = [
  'test/{sql,suppliers,messages,network,client,tracing}/**/*.test.ts',
  'test/http/{routes,middleware}/**/*.test.ts',
]

const shared = {
  globalSetup: ['test/support/global_setup.ts'],
  pool: 'forks' as const,
  testTimeout: 30_000,
  hookTimeout: 120_000,
  teardownTimeout: 30_000,
  // A machine with much to do may take long to get there; a test that waits longer loses nothing.
  expect: { poll: { timeout: 15_000 } },
}

export default defineConfig({
  test: {
    maxWorkers: 3,
    projects: [
      { test: { ...shared, name: 'fast', include: fast, isolate: false } },
      // Kills, outages, failover, locks, recovery, programs, browser: a process for each file.
      { test: { ...shared, name: 'faults', include: ['test/**/*.test.ts'], exclude: fast } },
    ],
  },
})
