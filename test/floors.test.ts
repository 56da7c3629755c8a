import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** Which modules a module may import from, besides itself. A module is a folder of src, a file in src itself, or tasks. */
const floors: { [module: string]: string[] } = {
  'main.ts': ['commands', 'config.ts'],
  commands: [
    ...[
      'http',
      'worker',
      'tracing',
      'migrate',
      'demo',
      'client',
      'embedded_postgres',
      'database',
      'suppliers',
    ],
    ...['network', 'config.ts', 'log.ts'],
  ],
  http: [
    ...['site', 'demo', 'tracing', 'database', 'suppliers', 'webhooks', 'messages', 'network'],
    ...['metrics.ts', 'config.ts', 'log.ts'],
  ],
  site: ['http', 'demo', 'suppliers', 'config.ts'],
  worker: [
    ...['tracing', 'tasks', 'database', 'suppliers', 'webhooks', 'messages', 'network'],
    ...['metrics.ts', 'config.ts', 'log.ts'],
  ],
  tasks: ['worker'],
  tracing: ['config.ts', 'log.ts'],
  migrate: ['database', 'embedded_postgres', 'network'],
  demo: ['client', 'messages', 'network'],
  // A package of its own, which is published without the rest.
  client: [],
  database: ['network'],
  suppliers: ['messages', 'network'],
  webhooks: ['messages', 'network'],
  embedded_postgres: ['network'],
  'metrics.ts': ['network'],
  'log.ts': ['messages', 'network'],
  'config.ts': ['database', 'suppliers', 'network'],
  messages: [],
  network: [],
}

const files = ['src', 'tasks'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path)),
)

/** The files of the service that a file imports, also for their types alone. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const found = [...text.matchAll(/\bfrom '(\.[^']*)'|\bimport\('(\.[^']*)'\)/g)]
  return found.map(([, one, other]) => normalize(join(dirname(file), one ?? other ?? '')))
}

const imports = new Map(files.map((file) => [file, importsOf(file)]))

function moduleOf(file: string): string {
  const [top = '', module = ''] = file.split('/')
  return top === 'src' ? module : top
}

function circleFrom(file: string, path: string[], done: Set<string>): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
  if (done.has(file)) return undefined
  for (const next of imports.get(file) ?? []) {
    const circle = circleFrom(next, [...path, file], done)
    if (circle) return circle
  }
  done.add(file)
  return undefined
}

describe('imports', () => {
  test('are seen', () => {
    expect(imports.get('src/main.ts')).toContain('src/commands/commands.ts')
    expect(imports.get('src/database/client.ts')).toContain('src/database/functions.ts')
    expect([...imports.values()].flat().length).toBeGreaterThan(files.length)
  })

  test('go down from floor to floor', () => {
    const upward = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => !target.startsWith('db/seed/') && moduleOf(target) !== moduleOf(file))
        .filter((target) => !floors[moduleOf(file)]?.includes(moduleOf(target)))
        .map((target) => `${file} imports ${target}`),
    )
    expect(upward).toEqual([])
  })

  test('make no circle', () => {
    const done = new Set<string>()
    expect(files.flatMap((file) => circleFrom(file, [], done)?.join(' > ') ?? [])).toEqual([])
  })

  test('from a task are of what tasks work with, and nothing else of the worker', () => {
    const others = [...imports]
      .filter(([file]) => moduleOf(file) === 'tasks')
      .flatMap(([, targets]) => targets.filter((target) => moduleOf(target) !== 'tasks'))
    expect([...new Set(others)]).toEqual(['src/worker/services.ts'])
  })
})

test('the environment is read in one place', () => {
  const readers = files.filter((file) => /\bprocess\.env\b/.test(readFileSync(join(root, file), 'utf8')))
  const allowed = (file: string) =>
    file.startsWith('src/commands/') || file === 'src/migrate/generate_types.ts'
  expect(readers.filter((file) => !allowed(file))).toEqual([])
})
