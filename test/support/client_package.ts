import { execFile, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const checkout = join(import.meta.dirname, '../..')

/** Packs the client of a copy of its folder as `npm pack` does, and installs the package in a partner's folder. */
export async function installClient(folder: string): Promise<void> {
  const source = join(folder, 'source')
  const partner = join(folder, 'partner')
  mkdirSync(partner)
  cpSync(join(checkout, 'src/client'), join(source, 'client'), { recursive: true })
  symlinkSync(join(checkout, 'node_modules'), join(source, 'node_modules'))
  const { stdout } = await npm(join(source, 'client'), 'pack', '--json', '--pack-destination', partner)
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[')))
  writeFileSync(join(partner, 'package.json'), '{"type":"module","private":true}')
  await npm(partner, 'install', join(partner, packed.filename))
}

function npm(folder: string, ...args: string[]) {
  // npm would read the settings of the npm that runs the tests.
  const env = { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: 'false' }
  return run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, env })
}

/** The oldest Node on this machine that the client is for: 20 where there is one. */
export function oldestNode(): string {
  const found = (process.env.PATH ?? '').split(delimiter).flatMap((folder) => {
    const path = join(folder, 'node')
    const major = Number(/^v(\d+)/.exec(spawnSync(path, ['-v'], { encoding: 'utf8' }).stdout ?? '')?.[1])
    return major >= 20 ? [{ path, major }] : []
  })
  return found.sort((a, b) => a.major - b.major)[0]?.path ?? process.execPath
}
