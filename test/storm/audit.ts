import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Report } from './report.ts'

/** Looks at `ops.audit` again and again. */
export type AuditWatch = {
  /** A last look; notes every row as a difference. */
  finish(): Promise<void>
  close(): Promise<void>
}

const intervalMs = 1_000

/** Looks at the audit each second, or where a look takes long, after twice its time. No row is tolerated for a moment. */
export function watchAudit(url: string, report: Report): AuditWatch {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connect_timeout: 5,
    connection: { statement_timeout: 20_000 },
  })
  const told = new Set<string>()
  let ended = false

  async function look(): Promise<{ check: string; detail: string }[] | undefined> {
    try {
      const rows = await Promise.race([
        sql<{ check: string; detail: string }[]>`select check_name as check, detail from ops.audit limit 50`,
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
      for (const row of rows ?? []) tell(row)
      await sleep(Math.max(intervalMs, 2 * (Date.now() - began)))
    }
  }

  function tell({ check, detail }: { check: string; detail: string }): void {
    const row = `${check} ${subjectOf(detail)}`
    if (told.has(row)) return
    told.add(row)
    report.difference(`audit: ${check}`, detail)
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

/** The same breach has the same subject at each look, whatever times its text tells. */
const subjectOf = (detail: string): string => detail.split(/[:,(]/, 1)[0] ?? detail
