import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import project from '../../package.json' with { type: 'json' }

const checkout = join(import.meta.dirname, '../..')
const folder = join(checkout, 'docs/operations/systemd')
const files = readdirSync(folder).sort()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

describe('the units of systemd', () => {
  test('run what the npm scripts run, with files of settings that the page makes', () => {
    const page = readFileSync(join(checkout, 'docs/operations/systemd.md'), 'utf8')
    expect(files).toEqual(['supply-api@.service', 'supply-migrate.service', 'supply-worker@.service'])
    for (const [index, name] of (['api', 'migrate', 'worker'] as const).entries()) {
      const unit = read(files[index] ?? '')
      const script = project.scripts[name].replace('exec node ', '/opt/supply-ordering/node_modules/.bin/node ')
      expect(unit).toContain(`\nExecStart=${script}\n`)
      for (const [, file] of unit.matchAll(/^EnvironmentFile=\/etc\/supply-ordering\/(.*)$/gm))
        expect(page).toContain(`> ${file}`)
    }
  })

  const dir = mkdtempSync(join(tmpdir(), 'supply-units-'))
  afterAll(() => rmSync(dir, { recursive: true, force: true }))
  const missing = spawnSync('systemd-analyze', ['--version']).status !== 0
  if (missing) console.info('no systemd-analyze on this machine, hence not run: it verifies the units')

  test.skipIf(missing)('are valid, and leave a process little that it could harm', () => {
    const units = files.map((file) => join(dir, file.replace('@', '@3001')))
    for (const [index, unit] of units.entries()) {
      writeFileSync(unit, read(files[index] ?? '').replaceAll('/opt/supply-ordering', checkout))
    }
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
      encoding: 'utf8',
    })
    expect([status, stdout, stderr]).toEqual([0, '', ''])
    for (const unit of units) {
      // It fails above this exposure, of 0 to 10, times 10.
      execFileSync('systemd-analyze', ['security', '--offline=yes', '--threshold=20', '--no-pager', unit], {
        stdio: 'pipe',
      })
    }
  })
})
