import type postgres from 'postgres'
import { expect } from 'vitest'
import type { TestDatabase } from '../database.ts'
import type { ServiceProcess } from '../servers/service_process.ts'

/** Where leases are written before a call, and results after it. */
export type Attempts = 'delivery_attempts' | 'supplier_attempts'

/** A gate that a worker has run into: it waits there inside a statement until the gate is opened. */
export type Gate = {
  /** Waits until a worker's statement that calls the function stands before the gate. */
  reached(functionName: string): Promise<void>
  /** Ends the statement that stands before the gate without effect, as if the process's last bytes were lost. */
  cut(): Promise<void>
  /** Lets the statement through, and waits until it has committed. */
  open(): Promise<void>
}

/** Closes a gate before attempts: a worker that begins or finishes one has to wait in its statement. */
export async function closeGate(database: TestDatabase, attempts: Attempts): Promise<Gate> {
  const holder = await database.sql.reserve()
  await holder`begin`
  await holder`lock table ${holder(`supply.${attempts}`)} in share mode`
  let waiting: number | undefined

  const release = async () => {
    await holder`commit`
    holder.release()
  }
  return {
    reached: async (functionName) => {
      const find = async () => {
        const [backend] = await database.sql`
          select pid from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${functionName}%`}
            and pid <> pg_backend_pid()`
        waiting = backend?.pid
        return waiting
      }
      await expect.poll(find, { interval: 10 }).toBeDefined()
    },
    cut: async () => {
      await database.sql`select pg_terminate_backend(${waiting ?? null}::int, 5000)`
      await release()
    },
    open: async () => {
      await release()
      const state = async () => {
        const [backend] = await database.sql`select state from pg_stat_activity where pid = ${waiting ?? null}`
        return backend?.state ?? 'gone'
      }
      await expect.poll(state, { interval: 10 }).toMatch(/idle|gone/)
    },
  }
}

/** Kills a worker that stands before a gate, and lets its statement commit: it never learns that it did. */
export async function killBehind(gate: Gate, worker: ServiceProcess): Promise<void> {
  worker.signal('SIGSTOP')
  await gate.open()
  await worker.kill()
}

/** Kills a worker that stands before a gate, and its statement with it. */
export async function killBefore(gate: Gate, worker: ServiceProcess): Promise<void> {
  await worker.kill()
  await gate.cut()
}

/**
 * Lets time pass after the last worker has died: its statements have ended, its heartbeat is old, and the sweeper
 * frees its jobs. Returns how many.
 */
export async function sweepTheDead(sql: postgres.Sql): Promise<number> {
  const sessions = () =>
    sql`select from pg_stat_activity where datname = current_database() and application_name like 'supply-ordering worker%'`
  await expect.poll(sessions, { interval: 10 }).toHaveLength(0)
  await sql`update supply.worker_pools set seen_at = now() - interval '11 s'`
  const [row] = await sql`select work.sweep() as freed`
  return row?.freed
}

/** Lets two days pass for leases and plans: what was lost counts as lost, and all that waits is due. */
export async function passTime(sql: postgres.Sql): Promise<void> {
  await sql`update supply.events set lease_expires_at = now() - interval '2 days' where state = 'sending'`
  await sql`update supply.events set next_attempt_at = now() where state = 'waiting' and next_attempt_at > now()`
  await sql`update supply.order_items set lease_expires_at = now() - interval '1 minute' where lease_expires_at is not null`
  await sql`update supply.order_items set next_check_at = now() where next_check_at > now()`
  await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`
  await sql`select pg_notify('jobs:insert', '{"r":1,"count":100}')`
}
