import { expect, test } from 'vitest'
import { isUnavailable } from '../../src/database/client.ts'
import { createDatabaseTime } from '../../src/http/database_time.ts'

test('all calls of a request share its time, and none waits when that is used up', async () => {
  const databaseTime = createDatabaseTime(50)
  const never = () => new Promise<void>(() => {})
  expect(await databaseTime(async () => 'answer')).toBe('answer')
  expect(isUnavailable(await databaseTime(never).catch((error: unknown) => error))).toBe(true)
  expect(isUnavailable(await databaseTime(never).catch((error: unknown) => error))).toBe(true)
})
