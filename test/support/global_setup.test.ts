import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import type { TestProject } from 'vitest/node'
import setup from './global_setup.ts'

const provided = new Map<string, string>()
const project = {
  provide: (name: string, value: string) => void provided.set(name, value),
} as unknown as TestProject

beforeEach(() => {
  provided.clear()
  vi.stubEnv('TEST_DATABASE_URL', '')
  vi.stubEnv('REQUIRE_CONTAINER', '')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('a given server comes first', async () => {
  vi.stubEnv('TEST_DATABASE_URL', inject('serverUrl'))
  const end = await setup(project)
  expect(provided.get('serverUrl')).toBe(inject('serverUrl'))
  await end()
})

describe('where no container engine answers', () => {
  beforeEach(() => {
    vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock')
  })

  test('the tests use the embedded server', async () => {
    const end = await setup(project)
    expect(provided.get('serverUrl')).toMatch(/^postgres(ql)?:/)
    expect(provided.get('serverUrl')).not.toBe(inject('serverUrl'))
    await end()
  })

  test('they fail if a container is required', async () => {
    vi.stubEnv('REQUIRE_CONTAINER', '1')
    await expect(setup(project)).rejects.toThrow('REQUIRE_CONTAINER=1')
    expect(provided.size).toBe(0)
  })
})
