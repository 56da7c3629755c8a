import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// What mostly computes: rules in SQL, routes, adapters, units.
const fast = [
  'test/{sql,suppliers,messages,network,client,tracing}/**/*.test.ts',
  'test/http/{routes,middleware}/**/*.test.ts',
]

// The longest of the files that mostly wait. They begin first, so that no worker is left with one at the end.
const longest =
  /(tasks\/crash|storm\/storm|worker\/black_hole|commands\/(command_line|pooler|start)|site\/\w+|failover)[^/]*$/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) =>
      longest.test(moduleId) ? 0 : project.name === 'faults' ? 1 : 2
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

const shared = {
  globalSetup: ['test/support/global_setup.ts'],
  setupFiles: ['test/support/steady_hour.ts'],
  pool: 'forks' as const,
  isolate: false,
  maxWorkers: 5,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  teardownTimeout: 30_000,
  // A busy machine needs longer, and a test that waits loses nothing; but a webhook is retried after a minute.
  expect: { poll: { timeout: 45_000 } },
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...shared, name: 'fast', include: fast } },
      // Kills, outages, failover, locks, recovery, programs, browser: these mostly wait.
      { test: { ...shared, name: 'faults', include: ['test/**/*.test.ts'], exclude: fast } },
    ],
  },
})
