import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Report } from './report.ts'

/** A breach has the same check and subject at each look, whatever times its text tells. */
type Row = { check: string; subject: string; detail: string }

/** Looks at the rows of `ops.audit` again and again. */
export type AuditWatch = {
  /** A last look; notes every row as a difference. */
  finish(): Promise<void>
  close(): Promise<void>
}

const intervalMs = 1_000

/**
 * For how many milliseconds a row of a check may be there; a row of any other check, for none. The audit knows since
 * when an event is due, but not since when a slot is free: that of a lost attempt becomes free when its lease ends, and
 * the next worker that looks, once a second, gives it away.
 */
const allowedMs: { [check: string]: number } = {
  queued_event_waits_for_a_slot: 60_000,
  // Both workers may be dead or hang at once. Whoever comes first ends the attempts.
  attempt_ends_with_its_lease: 60_000,
  slot_is_used: 60_000,
  waiting_item_gets_a_place: 60_000,
}

/**
 * Looks at the audit each second, or where a look takes long, after twice its time. Every row is a difference, but for
 * those that go away within the time that is allowed for their check.
 */
export function watchAudit(url: string, report: Report): AuditWatch {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 5,
    // postgres.js does not catch it where a connection breaks off meanwhile.
    fetch_types: false,
    connection: { statement_timeout: 20_000 },
  })
  const since = new Map<string, number>()
  const told = new Set<string>()
  let ended = false

  async function look(): Promise<Row[] | undefined> {
    try {
      const rows = await Promise.race([
        sql<Row[]>`select check_name as check, subject, detail from core.audit limit 50`,
        sleep(25_000, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
      ])
      report.count('looks at the audit')
      return rows
    } catch {
      report.count('looks at the audit without an answer')
      return undefined
    }
  }

  async function watch(): Promise<void> {
    while (!ended) {
      const began = Date.now()
      const rows = await look()
      if (rows !== undefined) compare(rows)
      await sleep(Math.max(intervalMs, 2 * (Date.now() - began)))
    }
  }

  function compare(rows: Row[]): void {
    const nameOf = ({ check, subject }: Row) => `${check} ${subject}`
    const present = new Set(rows.map(nameOf))
    for (const name of since.keys()) if (!present.has(name)) since.delete(name)
    for (const row of rows) {
      const name = nameOf(row)
      const first = since.get(name) ?? Date.now()
      if (!since.has(name)) report.count(`audit rows: ${row.check}`)
      since.set(name, first)
      if (told.has(name) || Date.now() - first < (allowedMs[row.check] ?? 0)) continue
      told.add(name)
      report.difference(`audit: ${row.check}`, row.detail)
    }
  }

  const watching = watch()
  return {
    finish: async () => {
      ended = true
      await watching
      const rows = await look()
      if (rows === undefined) report.difference('the audit does not answer', 'at the end')
      for (const { check, detail } of rows ?? []) report.difference(`audit at the end: ${check}`, detail)
    },
    close: async () => {
      ended = true
      await sql.end({ timeout: 2 })
    },
  }
}
