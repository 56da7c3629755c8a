import { execFileSync, spawnSync } from 'node:child_process'

/** Whether a psql that knows `header match` is on this machine. */
export const hasPsql = (() => {
  const { stdout } = spawnSync('psql', ['--version'], { encoding: 'utf8' })
  return Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= 15
})()

/** Runs a command as a person types it in psql, and returns what psql prints, with the server's notices and errors first. */
export function psql(url: string, command: string, cwd: string): string {
  return execFileSync('sh', ['-c', 'psql -X "$1" -c "$2" 2>&1 || true', 'sh', url, command], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PGCLIENTENCODING: 'UTF8', LC_ALL: 'C.UTF-8' },
  })
}
