import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../network/error_code.ts'
import type { Binaries } from './binaries.ts'
import type { Place } from './place.ts'

/** A server process: its id and the TCP port on 127.0.0.1. */
export type RunningServer = { pid: number; port: number }

const pollMs = 15
const watchMs = 500
const startTimeoutMs = 60_000
const stopTimeoutMs = 30_000
const logLimitBytes = 10_000_000

/** Resolves to the server that runs on the place's data, once it is ready; undefined if there is none. */
export async function runningServer(place: Place): Promise<RunningServer | undefined> {
  const end = Date.now() + startTimeoutMs
  while (Date.now() < end) {
    const state = readState(place)
    if (state === undefined || !isServer(state.pid, place)) return undefined
    if (state.ready) return state
    await sleep(pollMs)
  }
  return undefined
}

/** Starts the server and waits until it accepts connections. Rejects with its last log line if it does not. */
export async function launch(
  place: Place,
  { postgres }: Binaries,
  options: { port?: number | undefined; durable: boolean },
): Promise<RunningServer & { reused: boolean; stop?: () => Promise<void> }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port || (await freePort())
    forgetReusedPid(place)
    const child = spawnServer(place, postgres, port, options.durable)
    const ready = await waitUntilReady(place, child)
    if (ready) {
      const reaper = options.durable ? undefined : stopWithUs(ready.pid)
      const stop = async () => {
        reaper?.kill('SIGKILL')
        await stopServer(ready.pid)
      }
      return { ...ready, reused: false, stop }
    }
    // Another process started the server at the same moment, or took the free port.
    const other = await runningServer(place)
    if (other) return { ...other, reused: true }
    if (attempt === 3) throw new Error(`PostgreSQL did not start: ${lastLogLine(place)}`)
  }
}

/** Stops the server: its sessions end, and commits are safe. Resolves when its process has ended. */
export async function stopServer(pid: number): Promise<void> {
  const end = Date.now() + stopTimeoutMs
  for (let signal: NodeJS.Signals | 0 = 'SIGINT'; Date.now() < end; signal = 0) {
    if (!send(pid, signal)) return
    await sleep(pollMs)
  }
  send(pid, 'SIGQUIT')
}

/**
 * Watches a server: `ended` settles with one line when its process is gone, unless `stop` was called before.
 * `isEnding`: whether it is gone, or about to be.
 */
export function watchServer(pid: number, place: Place): { ended: Promise<string>; isEnding(): boolean; stop(): void } {
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  const timer = setInterval(() => {
    if (isServer(pid, place)) return
    clearInterval(timer)
    resolve(`the database of ${place.wanted} has ended: ${logPath(place)} may say why; start this again`)
  }, watchMs).unref()
  return {
    ended,
    isEnding: () => !isServer(pid, place) || readState(place)?.state === 'stopping',
    stop: () => clearInterval(timer),
  }
}

/** The server has a process group of its own: a terminal's Ctrl-C must not stop it before the service has drained. */
function spawnServer(place: Place, postgres: string, port: number, durable: boolean): ChildProcess {
  const log = openLog(place)
  try {
    const child = spawn(postgres, ['-D', place.cluster, ...settings(port, durable)], {
      ...place.runAs,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', log, log],
      detached: true,
    })
    child.unref()
    return child
  } finally {
    closeSync(log)
  }
}

function settings(port: number, durable: boolean): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: durable ? '256MB' : '128MB',
    max_wal_size: '2GB',
    // Rows of the queue's tables live for seconds.
    autovacuum_naptime: '10s',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // The log must hold no row data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }),
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function waitUntilReady(place: Place, child: ChildProcess): Promise<RunningServer | undefined> {
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  child.once('error', () => {
    ended = true
  })
  const end = Date.now() + startTimeoutMs
  while (!ended && Date.now() < end) {
    const state = readState(place)
    if (state?.ready && state.pid === child.pid) return state
    await sleep(pollMs)
  }
  if (!ended && child.pid !== undefined) await stopServer(child.pid)
  return undefined
}

/** Starts a shell that stops the server as soon as this process has ended. */
function stopWithUs(pid: number): ChildProcess {
  const script = 'trap "" INT TERM HUP; cat >/dev/null; kill -INT "$1" 2>/dev/null'
  const child = spawn('/bin/sh', ['-c', script, 'sh', String(pid)], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  const pipe = child.stdin
  if (pipe !== null && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  return child
}

/** The state in `postmaster.pid`: line 1 is the process, 4 the port, 8 the state. */
function readState(place: Place): (RunningServer & { state: string | undefined; ready: boolean }) | undefined {
  try {
    const lines = readFileSync(join(place.cluster, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    if (!(pid > 0)) return undefined
    const state = lines[7]?.trim()
    return { pid, port: Number(lines[3]), state, ready: state === 'ready' }
  } catch {
    return undefined
  }
}

// After a crash and a reboot, most often of a container, the recorded id can be that of another program. PostgreSQL
// would take this program for a running server and refuse to start.
function forgetReusedPid(place: Place): void {
  const state = readState(place)
  if (state === undefined || !send(state.pid, 0) || isServer(state.pid, place)) return
  rmSync(join(place.cluster, 'postmaster.pid'), { force: true })
}

function isServer(pid: number, place: Place): boolean {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(place.cluster)
    const command = execFileSync('/bin/ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
    return command.includes(` -D ${place.cluster} `)
  } catch {
    return false
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no free TCP port')
  return address.port
}

function openLog(place: Place): number {
  const path = logPath(place)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > logLimitBytes) renameSync(path, `${path}.old`)
  return openSync(path, 'a', 0o600)
}

function lastLogLine(place: Place): string {
  const lines = readFileSync(logPath(place), 'utf8').trim().split('\n')
  return lines.findLast((line) => line.includes('FATAL')) ?? lines.at(-1) ?? ''
}

function logPath(place: Place): string {
  return join(place.dataDir, 'postgres.log')
}
