import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The user that runs the server. */
export type RunAs = { uid: number; gid: number }

/** The folders of one embedded server, and the user that runs it. */
export type Place = {
  /** The requested folder. */
  wanted: string
  /** The folder of the data directory, the programs and the log. */
  dataDir: string
  /** PostgreSQL's own data directory. */
  cluster: string
  /** Whether `dataDir` is not the requested folder. */
  relocated: boolean
  /** Undefined: this process's own user. */
  runAs: RunAs | undefined
}

const outside = '/var/lib/supply-ordering'

/**
 * Chooses the folder for the data and makes it: the wanted one, or, if root runs the server as a user that cannot enter
 * it, `/var/lib/supply-ordering/<hash>`. The hash is that of the checkout's path, or of the folder's own path if its
 * name is not `.data`.
 */
export async function placeFor(wanted: string): Promise<Place> {
  const dataDir = resolve(wanted)
  const runAs = process.getuid?.() === 0 ? serverUser() : undefined
  const made = mkdirSync(dataDir, { recursive: true })
  // With a umask of 077 the server's user could not enter the new folder.
  if (made !== undefined && runAs !== undefined) chmodSync(dataDir, 0o755)
  if (runAs === undefined || (await canEnter(dataDir, runAs))) {
    return { wanted: dataDir, dataDir, cluster: join(dataDir, 'postgres'), relocated: false, runAs }
  }
  const elsewhere = relocatedDir(dataDir)
  return { wanted: dataDir, dataDir: elsewhere, cluster: join(elsewhere, 'postgres'), relocated: true, runAs }
}

/** The world-readable folder that replaces a data folder, named by the hash of the path of its checkout. */
export function relocatedDir(dataDir: string): string {
  const owner = basename(dataDir) === '.data' ? dirname(dataDir) : dataDir
  const hash = createHash('sha256').update(owner).digest('hex').slice(0, 16)
  const dir = join(outside, hash)
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  return dir
}

/** Whether the user can enter a folder and all folders above it. */
export async function canEnter(dir: string, runAs: RunAs): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'cd "$1" 2>/dev/null', 'sh', dir], { ...runAs, cwd: '/', stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Makes the server's user the owner of a path, if that is not this process's own user. */
export function give(path: string, place: Place): void {
  if (place.runAs) chownSync(path, place.runAs.uid, place.runAs.gid)
}

function serverUser(): RunAs {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  return { uid: 65_534, gid: 65_534 }
}
