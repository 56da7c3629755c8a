import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../../src/embedded_postgres/start.ts'
import { signal } from '../embedded_postgres/support.ts'

/** A PostgreSQL of the storm's own, which can be brought into any trouble. */
export type StormServer = {
  /** A superuser's URL. */
  url: string
  port: number
  /** Whether its disk can be filled: it lies on a file system of its own, which takes the right to mount one. */
  canBeFilled: boolean
  /** Ends all sessions and starts again; `immediate` leaves no time to write anything, as a crash would. */
  restart(how: 'fast' | 'immediate'): Promise<void>
  /** Stops every process of the server for a time. */
  freeze(during: () => Promise<void>): Promise<void>
  /** Leaves no space on its disk for a time. */
  fill(during: () => Promise<void>): Promise<void>
  /** Starts it if it has ended by itself. */
  ensureRunning(): Promise<void>
  /** Has the process ended with the storm, however that ends. */
  adopt(child: ChildProcess): void
  close(): Promise<void>
}

const diskMegabytes = 6_000

/** Starts it, with durable settings and data that are thrown away. */
export async function startStormServer(): Promise<StormServer> {
  const folder = join(tmpdir(), `supply-ordering-storm-${randomUUID()}`)
  mkdirSync(folder, { mode: 0o755 })
  const canBeFilled = mountDisk(folder)
  const pids = `${folder}.pids`
  writeFileSync(pids, '')
  const adopted = new Set<ChildProcess>()
  const reaper = startReaper(folder, pids)
  const port = await lowPort()
  const start = () => startPostgres({ dataDir: folder, durable: true, database: 'storm', port })
  const server = await start()
  const { url, dataDir } = server
  const postmaster = () => postmasterOf(join(dataDir, 'postgres'))

  const ensureRunning = async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await start()
        return
      } catch (error) {
        if (attempt === 20) throw error
        await sleep(500)
      }
    }
  }
  const filler = join(dataDir, 'filler')
  return {
    url,
    port,
    canBeFilled,
    ensureRunning,
    restart: async (how) => {
      await stopServer(postmaster(), how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await ensureRunning()
    },
    freeze: async (during) => {
      const pid = postmaster()
      const all = pid === undefined ? [] : [pid, ...childrenOf(pid)]
      for (const pid of all) signal(pid, 'SIGSTOP')
      await during()
      for (const pid of all.reverse()) signal(pid, 'SIGCONT')
    },
    fill: async (during) => {
      try {
        takeSpace(dataDir, filler)
        await during()
      } finally {
        rmSync(filler, { force: true })
      }
      await sleep(300)
      await ensureRunning()
    },
    adopt: (child) => {
      const note = () => writeFileSync(pids, [...adopted].map(({ pid }) => `${pid}\n`).join(''))
      adopted.add(child)
      note()
      child.once('exit', () => {
        adopted.delete(child)
        note()
      })
    },
    close: async () => {
      rmSync(filler, { force: true })
      await stopServer(postmaster(), 'SIGINT')
      reaper.kill('SIGKILL')
      if (canBeFilled) execFileSync('umount', ['-l', folder])
      adopted.clear()
      for (const path of [folder, dataDir, pids]) rmSync(path, { recursive: true, force: true })
    },
  }
}

/** A free port below those that outgoing connections get: while the server is away, nobody else takes it by chance. */
async function lowPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const listener = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      listener.once('error', () => resolve(false))
      listener.listen(port, '127.0.0.1', () => listener.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

function mountDisk(folder: string): boolean {
  try {
    const options = `size=${diskMegabytes}m,mode=755`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The server takes of the space meanwhile, so a file of just the free size may not fit. */
function takeSpace(dir: string, filler: string): void {
  for (let left = 8; ; left *= 4) {
    const { bavail, bsize } = statfsSync(dir)
    try {
      const length = String(Math.max(1, bavail - left) * bsize)
      execFileSync('fallocate', ['-l', length, filler], { stdio: 'ignore' })
      return
    } catch (error) {
      if (left > 10_000) throw error
    }
  }
}

/** A shell that outlives this process just long enough to clear away what it leaves. */
function startReaper(folder: string, pids: string): ChildProcess {
  const script = `trap "" INT TERM HUP; cat >/dev/null
    for pid in $(cat "$2"); do kill -KILL "$pid"; done
    pid=$(head -n 1 "$1/postgres/postmaster.pid")
    if grep -q "$1" "/proc/$pid/cmdline"; then kill -CONT "$pid"; kill -QUIT "$pid"; sleep 1; fi
    umount -l "$1"; rm -rf "$1" "$2"`
  const reaper = spawn('/bin/sh', ['-c', script, 'sh', folder, pids], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  reaper.unref()
  const pipe = reaper.stdin
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return reaper
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** The server's process; undefined where none runs. What its file says may be long past, and the number another's. */
function postmasterOf(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0])
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(cluster) ? pid : undefined
  } catch {
    return undefined
  }
}

/** Waits until the server is gone: half a minute, then it is given no more time. */
async function stopServer(pid: number | undefined, name: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (pid === undefined) return
  signal(pid, name)
  const end = Date.now() + 30_000
  while (parentOf(pid) !== undefined) {
    if (Date.now() > end) signal(pid, 'SIGQUIT')
    await sleep(20)
  }
}
