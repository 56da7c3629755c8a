import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The user that runs the server; absent where this process's own user does. */
export type RunAs = { uid: number; gid: number }

/** Where one embedded server keeps its things and who runs it. */
export type Place = {
  /** The folder that was asked for. */
  wanted: string
  /** Holds everything below. */
  dataDir: string
  /** PostgreSQL's own data directory. */
  cluster: string
  relocated: boolean
  runAs: RunAs | undefined
}

const outside = '/var/lib/supply-ordering'

/**
 * Chooses the folder for the data and makes it: the wanted one, or, where root runs the server as a user that cannot
 * enter it, `/var/lib/supply-ordering/<hash of the checkout's path>` (for a folder of another name than `.data`, of its
 * own path).
 */
export async function placeFor(wanted: string): Promise<Place> {
  const dataDir = resolve(wanted)
  const runAs = process.getuid?.() === 0 ? serverUser() : undefined
  const made = mkdirSync(dataDir, { recursive: true })
  // A umask of 077 must not make the folder look closed to the server's user.
  if (made !== undefined && runAs !== undefined) chmodSync(dataDir, 0o755)
  if (runAs === undefined || (await canEnter(dataDir, runAs))) {
    return { wanted: dataDir, dataDir, cluster: join(dataDir, 'postgres'), relocated: false, runAs }
  }
  const elsewhere = relocatedDir(dataDir)
  return { wanted: dataDir, dataDir: elsewhere, cluster: join(elsewhere, 'postgres'), relocated: true, runAs }
}

/** A world-readable folder for what belongs to a data folder, named by the checkout that the data folder is in. */
export function relocatedDir(dataDir: string): string {
  const owner = basename(dataDir) === '.data' ? dirname(dataDir) : dataDir
  const hash = createHash('sha256').update(owner).digest('hex').slice(0, 16)
  const dir = join(outside, hash)
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  return dir
}

/** Whether the user can go into a folder, through all that lie above it. */
export async function canEnter(dir: string, runAs: RunAs): Promise<boolean> {
  const child = spawn('/bin/sh', ['-c', 'cd "$1" 2>/dev/null', 'sh', dir], { ...runAs, cwd: '/', stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code === 0
}

/** Makes the server's user the owner of a path, where that is another user than this process's. */
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
