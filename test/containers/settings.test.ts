import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { commands } from '../../src/commands/commands.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const compose = read('docker-compose.yml')
const { services } = parse(compose, { merge: true }) as {
  services: { [name: string]: { environment?: { [name: string]: unknown } } }
}
const passedTo = (...names: string[]) =>
  new Set(names.flatMap((name) => Object.keys(services[name]?.environment ?? {})))

/** The settings that a table of a document names in its first column. */
function settingsIn(document: string, heading: string): string[] {
  const section = read(document).split(`${heading}\n`)[1]?.split(/\n#+ /)[0] ?? ''
  const firstColumns = section.split('\n').flatMap((line) => /^\| (`[^|]*) \|/.exec(line)?.[1] ?? [])
  return firstColumns.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => `${name}`))
}

test('each setting of docs/operations/settings.md reaches the process that reads it', () => {
  // The container's own address and names; what only development may set; what `npm start` alone reads.
  const without = ['HOST', 'PORT', 'OTEL_SERVICE_NAME', 'CALLBACK_ALLOW_NETWORKS', 'SEED_DEMO', 'DATA_DIR']
  const passed = passedTo('api', 'worker', 'migrate')
  const named = settingsIn('docs/operations/settings.md', '# Settings')
  expect(named.length).toBeGreaterThan(25)
  expect(named.filter((name) => !passed.has(name) && !without.includes(name))).toEqual([])
})

test('API and worker alike take the settings of traces', () => {
  const named = settingsIn('docs/operations/traces.md', '## OpenTelemetry').filter(
    (name) => name !== 'OTEL_SERVICE_NAME',
  )
  expect(named.length).toBeGreaterThan(5)
  for (const process of ['api', 'worker']) expect(named.filter((name) => !passedTo(process).has(name))).toEqual([])
})

test('each command that the documents run in a container is one of the service, by a login that may run it', () => {
  const text = globSync('docs/operations/*.md', { cwd: root }).map(read).join('\n')
  const run = [...text.matchAll(/docker compose run --rm ([\w-]+) ([\w-]+)/g)]
  expect(run.length).toBeGreaterThan(1)
  for (const [, service = '', command = ''] of run) {
    expect(Object.keys(commands)).toContain(command)
    const { DATABASE_URL: url, DATA_KEYS: keys } = services[service]?.environment ?? {}
    expect(url).toContain(`supply_${service}_login`)
    expect(keys).toBeDefined()
  }
})

test('each variable of the compose files stands in .env.example', () => {
  const example = read('.env.example')
  const listed = new Set([...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name))
  const passwords = ['POSTGRES', 'API_DB', 'WORKER_DB', 'OPERATOR_DB'].map((name) => `${name}_PASSWORD`)
  const both = compose + read('docker-compose.ha.yml')
  const used = [...both.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => `${name}`)
  expect(used.length).toBeGreaterThan(25)
  expect([...new Set(used)].filter((name) => !listed.has(name) && !passwords.includes(name))).toEqual([])
})

test('without a pooler, both ways to the database are one', () => {
  for (const name of ['api', 'worker']) {
    const { DATABASE_URL: url, DATABASE_DIRECT_URL: direct } = services[name]?.environment ?? {}
    expect(`${url}`.replace(/\$\{DATABASE_POOLER:-(\w+)\}/, '$1')).toBe(direct)
  }
})
