import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import project from '../package.json' with { type: 'json' }
import lock from '../package-lock.json' with { type: 'json' }
import client from '../src/client/package.json' with { type: 'json' }
import { readMigrations } from '../src/migrate/sql_files.ts'
import { openApiDocument } from '../src/site/openapi/document.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const found = (path: string, pattern: RegExp) => pattern.exec(read(path))?.[1]

test('the version of package.json stands everywhere else', () => {
  const versions = {
    'package-lock.json': lock.version,
    'package-lock.json, the package': lock.packages[''].version,
    'src/client/package.json': client.version,
    'src/client/README.md': found('src/client/README.md', /supply-ordering-client-(.+)\.tgz/),
    'the user-agent of the client': found('src/client/transport.ts', /'supply-ordering-client\/(.+)'/),
    'docs/operations/systemd.md': found('docs/operations/systemd.md', /^release=(.+)$/m),
    'the OpenAPI document': openApiDocument().info.version,
    'the label of the image': found('Dockerfile', /org\.opencontainers\.image\.version=(\S+)/),
    'the newest release of CHANGELOG.md': found('CHANGELOG.md', /^## \[(\d.*)\] - \d{4}-\d\d-\d\d$/m),
  }
  expect(versions).toEqual(Object.fromEntries(Object.keys(versions).map((place) => [place, project.version])))
})

test('a released migration is never edited: put it back, and write a new one', () => {
  const present = readMigrations().map(({ name, checksum }) => `${checksum}  ${name}.sql`)
  const released = read('db/migrations.sha256').trim().split('\n')
  expect(released.filter((line) => !present.includes(line))).toEqual([])
})
