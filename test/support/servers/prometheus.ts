import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { freePort } from './free_port.ts'

/** Whether Debian's package prometheus is on this machine. */
export const hasPrometheus = ['promtool', 'prometheus'].every((name) => spawnSync(name, ['--version']).status === 0)

type Sample = { metric: { [label: string]: string }; value: [number, string] }

export type Prometheus = {
  /** The samples that a query has now. Rejects with what Prometheus says of one that is wrong. */
  query(expression: string): Promise<Sample[]>
  /** Health and last error of each rule, by its name. */
  rules(): Promise<{ name: string; health: string; lastError?: string }[]>
  stop(): Promise<void>
}

/** Starts a Prometheus on a free port of 127.0.0.1 that scrapes these ports each second, by the name of their job. */
export async function startPrometheus(jobs: { [job: string]: number }, rulesFile: string): Promise<Prometheus> {
  const dir = mkdtempSync(join(tmpdir(), 'supply-ordering-prometheus-'))
  cpSync(rulesFile, join(dir, 'rules.yml'))
  const scrapes = Object.entries(jobs).map(([job, port]) => ({
    job_name: job,
    static_configs: [{ targets: [`127.0.0.1:${port}`] }],
  }))
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    scrape_configs: scrapes,
  }
  // YAML takes JSON.
  writeFileSync(join(dir, 'prometheus.yml'), JSON.stringify(config))
  const port = await freePort()
  const server = spawn(
    'prometheus',
    [
      ...[`--config.file=${join(dir, 'prometheus.yml')}`, `--storage.tsdb.path=${join(dir, 'data')}`],
      ...[`--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    ],
    { stdio: 'ignore' },
  )
  const get = (path: string) => answerOf(`http://127.0.0.1:${port}/api/v1/${path}`)
  return {
    query: async (expression) => (await get(`query?query=${encodeURIComponent(expression)}`)).result,
    rules: async () => (await get('rules')).groups.flatMap(({ rules }: { rules: object[] }) => rules),
    stop: async () => {
      await end(server)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function answerOf(url: string) {
  const { body } = await request(url)
  const { status, data, error } = (await body.json()) as ReturnType<typeof JSON.parse>
  if (status !== 'success') throw new Error(error)
  return data
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill('SIGKILL')
  await ended
}
