import type { Task } from 'graphile-worker'
import type { Database } from '../../database/client.ts'
import { isConflict } from '../../database/errors.ts'
import { jobId } from '../../messages/job_id.ts'

/**
 * Wraps a task so that it is tried again within a second when another transaction holds a lock that it needs. The queue
 * would count that as a failure and wait longer each time. A job of the crontab has no id: its next one comes in a minute.
 */
export function retried(db: Database, name: string, task: Task): Task {
  return async (payload, helpers) => {
    try {
      return await task(payload, helpers)
    } catch (error) {
      if (!isConflict(error)) throw error
      if (Object(payload).id === undefined) return
      await db.call('work.retry_job', { task: name, id: jobId(payload) })
    }
  }
}
