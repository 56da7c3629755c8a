import { setTimeout as sleep } from 'node:timers/promises'
import type postgres from 'postgres'
import { signal } from '../embedded_postgres/support.ts'
import type { Calm } from './calm.ts'
import { migrateOnce, type Part, type Supervised } from './processes.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { StormServer } from './server.ts'

export type Scene = {
  server: StormServer
  processes: Supervised[]
  /** A superuser's client, straight to the database. */
  admin: postgres.Sql
  calm: Calm
  report: Report
}

type Fault = (scene: Scene, random: Random) => Promise<unknown>

const one = ({ processes }: Scene, random: Random, part: Part): Supervised =>
  random.pick(processes.filter((process) => process.part === part))

const signalOne =
  (part: Part, name: NodeJS.Signals): Fault =>
  async (scene, random) =>
    one(scene, random, part).signal(name)

const stopOne =
  (part: Part, longestMs: number): Fault =>
  async (scene, random) => {
    const process = one(scene, random, part)
    const ms = random.int(300, longestMs)
    process.signal('SIGSTOP')
    await scene.calm.pause(ms)
    process.signal('SIGCONT')
  }

/** What happens to processes and to the network between them and the database. */
export const processFaults: { [name: string]: Fault } = {
  'api killed': signalOne('api', 'SIGKILL'),
  'worker killed': signalOne('worker', 'SIGKILL'),
  'api ended': signalOne('api', 'SIGTERM'),
  'worker ended': signalOne('worker', 'SIGTERM'),
  'api stopped': stopOne('api', 6_000),
  'worker stopped': stopOne('worker', 20_000),
  'worker hung': async (scene, random) => {
    // Longer than its heartbeat may be missing: the others take its jobs, and it ends when it wakes.
    const process = one(scene, random, 'worker')
    process.signal('SIGSTOP')
    void scene.calm.pause(75_000).then(() => process.signal('SIGCONT'))
  },
  'worker killed again': signalOne('worker', 'SIGKILL'),
  'connections cut': async ({ processes }, random) => random.pick(processes).relay.cut(),
  'connections held': async ({ processes, calm }, random) => {
    const { relay } = random.pick(processes)
    const ms = random.int(500, 8_000)
    relay.hold()
    await calm.pause(ms)
    relay.pass()
  },
  'connections refused': async ({ processes, calm }, random) => {
    const { relay } = random.pick(processes)
    const ms = random.int(300, 4_000)
    relay.refuse()
    await calm.pause(ms)
    relay.pass()
  },
  'connections forgotten': async ({ processes, calm }, random) => {
    const { relay } = random.pick(processes)
    relay.forget()
    // The server's keepalive finds its end out; the process has to find out by itself.
    await calm.pause(25_000)
    relay.closeForgotten()
  },
}

const sessions = `application_name like 'supply-ordering%' and datname = current_database()`

/** What happens to the database, and what operators do to it. */
export const databaseFaults: { [name: string]: Fault } = {
  'backends terminated': async ({ admin }, random) => {
    const count = random.int(1, 20)
    await admin.unsafe(`select pg_terminate_backend(pid) from (
      select pid from pg_stat_activity where ${sessions} order by pid % 7, pid limit ${count}) as chosen`)
  },
  'backend crashed': async ({ admin }, random) => {
    const place = random.next()
    const found = await admin.unsafe(`select pid from pg_stat_activity where ${sessions} order by pid`)
    const pid = found[Math.floor(place * found.length)]?.pid
    if (pid !== undefined) signal(pid, 'SIGKILL')
  },
  'database restarted': ({ server }) => server.restart('fast'),
  'database stopped at once': ({ server }) => server.restart('immediate'),
  'database frozen': ({ server, calm }, random) => server.freeze(() => calm.pause(random.int(500, 6_000))),
  'disk full': ({ server, calm }, random) => server.fill(() => calm.pause(random.int(1_000, 5_000))),
  'account locked': async ({ admin, calm }, random) => {
    const place = random.next()
    const ms = random.int(500, 5_000)
    await admin.begin(async (sql) => {
      const accounts = await sql`select id from supply.accounts order by id`
      await sql`select from supply.accounts where id = ${accounts[Math.floor(place * accounts.length)]?.id} for update`
      await calm.pause(ms)
    })
  },
  'code reloaded': async ({ server, admin, report }) => {
    await admin`update supply.code_version set files = '{}'`
    if (!(await migrateOnce(server))) report.count('migrations that gave up')
  },
}

/**
 * Brings one trouble after another until the calm begins: all of them in a random order, then all in another. Each has
 * healed when the next one comes.
 */
export async function bringTrouble(
  faults: { [name: string]: Fault },
  scene: Scene,
  random: Random,
  meanPauseMs: number,
): Promise<void> {
  const { calm, report, server } = scene
  const names = Object.keys(faults).filter((name) => name !== 'disk full' || server.canBeFilled)
  for (let round = 1; !calm.hasBegun(); round += 1) {
    for (const name of random.shuffle(names)) {
      await calm.pause(random.int(meanPauseMs / 2, meanPauseMs * 1.5))
      if (calm.hasBegun()) return
      report.count('faults')
      report.count(`fault: ${name}`)
      try {
        await faults[name]?.(scene, random.branch(`${name} ${round}`))
      } catch (error) {
        // What a fault needs may be away because of another one.
        report.count(`fault not brought: ${name}`)
        if (error instanceof TypeError) throw error
      }
    }
  }
}

/** Ends all trouble, and waits until everything runs. */
export async function heal({ processes, server, admin }: Scene): Promise<void> {
  await server.ensureRunning()
  for (const process of processes) {
    process.relay.pass()
    process.relay.resetForgotten()
    process.signal('SIGCONT')
  }
  for (;;) {
    try {
      await admin`select 1`
      break
    } catch {
      await sleep(200)
    }
  }
  await Promise.all(processes.map((process) => process.ready()))
}
