import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '../embedded_postgres/support.ts'

// The cluster of docs/operations/patroni, each node in a network namespace of its own at one bridge.
const files = join(import.meta.dirname, '../../docs/operations/patroni')
const dir = process.env.HA_DIR ?? ''
const bin = process.env.PG_BIN ?? ''
export const nodes = ['db1', 'db2', 'db3'] as const
export type Node = (typeof nodes)[number]
const addresses = { db1: '10.77.0.11', db2: '10.77.0.12', db3: '10.77.0.13' }

type Member = { name: Node; role: string; state: string; lag?: number }

const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ETCDCTL_API: '3' } })
const shell = (script: string) => run('sh', '-euc', script)

/** A process that writes to a log of its own. */
export type Process = { ended: Promise<void>; signal(name: NodeJS.Signals): void }

export function startProcess(name: string, command: string, args: string[], env: NodeJS.ProcessEnv = {}): Process {
  const log = openSync(join(dir, `${name}.log`), 'a')
  const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', log, log] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return { ended, signal: (signal) => void child.kill(signal) }
}

/** All that a process logged so far. */
export const logOf = (name: string) => readFileSync(join(dir, `${name}.log`), 'utf8')

/** Makes the network and starts the nodes, and HAProxy once a node is the primary. */
export async function startCluster(): Promise<void> {
  makeNetwork()
  for (const node of nodes) makeFolders(node)
  for (const node of nodes) startEtcd(node)
  await protectEtcd()
  for (const node of nodes) startPatroni(node)
  await healthy(60)
  startHaproxy()
  // Until its first checks it sends connections to any server.
  await sleep(3_000)
}

function makeNetwork(): void {
  mkdirSync(dir, { recursive: true })
  for (const file of readdirSync(dir)) if (file.endsWith('.log')) rmSync(join(dir, file))
  const hosts = nodes.map((node) => `${addresses[node]} ${node}`)
  writeFileSync(
    join(dir, 'hosts'),
    ['127.0.0.1 localhost', '127.0.0.2 api1', '127.0.0.3 api2', ...hosts, ''].join('\n'),
  )
  shell(`mount --bind ${dir}/hosts /etc/hosts; mkdir -p /run/netns; mount -t tmpfs none /run/netns; ip link set lo up
    ip link add nodes type bridge; ip addr add 10.77.0.1/24 dev nodes; ip link set nodes up`)
  for (const node of nodes)
    shell(`ip netns add ${node}; ip link add ${node} type veth peer name eth0 netns ${node}
      ip link set ${node} master nodes up; ip -n ${node} link set lo up
      ip -n ${node} addr add ${addresses[node]}/24 dev eth0; ip -n ${node} link set eth0 up`)
}

function makeFolders(node: Node): void {
  const folder = join(dir, node)
  rmSync(folder, { recursive: true, force: true })
  for (const name of ['postgresql', 'etcd', 'run']) mkdirSync(join(folder, name), { recursive: true })
  run('chown', '-R', 'postgres', folder)
}

/** Starts etcd and Patroni of a node, which has lost nothing on its disk. */
export function startNode(node: Node): void {
  run('ip', 'link', 'set', node, 'up')
  startEtcd(node)
  startPatroni(node)
}

const startPatroni = (node: Node) => startInNode(node, 'patroni', `patroni ${files}/patroni.yml`)

export const startEtcd = (node: Node) => startInNode(node, 'etcd', 'etcd')

function startInNode(node: Node, name: string, command: string): void {
  const folder = join(dir, node)
  const script = `mount --bind ${folder}/postgresql /var/lib/postgresql; mount --bind ${folder}/etcd /var/lib/etcd
    mount --bind ${folder}/run /var/run/postgresql; exec runuser -u postgres -- ${command}`
  const env = { ...settings('etcd.env', node), ...settings('node.env', node), PATRONI_POSTGRESQL_BIN_DIR: bin }
  startProcess(`${node}.${name}`, 'ip', ['netns', 'exec', node, 'sh', '-euc', script], env)
}

function settings(file: string, node: Node): NodeJS.ProcessEnv {
  const lines = readFileSync(join(files, file), 'utf8').split('\n')
  const pairs = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2))
  const own = file === 'node.env'
  return Object.fromEntries(pairs.map(([key, value]) => [key, own ? value?.replaceAll('db1', node) : value]))
}

const etcdctl = (...args: string[]) => run('etcdctl', '--endpoints', 'http://db1:2379', ...args)

/** Gives etcd its users, as high-availability.md says. */
async function protectEtcd(): Promise<void> {
  const { PATRONI_ETCD3_PASSWORD: password } = settings('node.env', 'db1')
  const end = performance.now() + 30_000
  while (attempt(() => etcdctl('endpoint', 'health')) !== null && performance.now() < end) await sleep(500)
  for (const command of [
    'user add root:change-me-6',
    'user grant-role root root',
    'role add patroni',
    'role grant-permission patroni --prefix=true readwrite /service/supply/',
    `user add patroni:${password}`,
    'user grant-role patroni patroni',
    'auth enable',
  ])
    etcdctl(...command.split(' '))
}

/** What a program said when it failed; null: it did not. */
function attempt(work: () => string): string | null {
  try {
    work()
    return null
  } catch (error) {
    return String((error as { stderr?: string }).stderr)
  }
}

/** What somebody in the network of the nodes can do without a password, or with a wrong one; empty: nothing. */
export async function openDoors(): Promise<string[]> {
  const open: string[] = []
  const key = '/service/supply/leader'
  for (const user of [[], ['--user', 'patroni:guess']])
    for (const command of [
      ['get', key],
      ['put', key, 'me'],
      ['del', key],
    ])
      if (attempt(() => etcdctl(...user, ...command)) === null) open.push(`etcdctl ${[...user, ...command].join(' ')}`)
  // The role of Patroni ends with its own keys.
  const own = ['--user', `patroni:${settings('node.env', 'db1').PATRONI_ETCD3_PASSWORD}`]
  if (attempt(() => etcdctl(...own, 'put', '/other', 'me')) === null) open.push('etcdctl put /other')
  for (const path of ['restart', 'reload', 'failover', 'switchover'])
    for (const headers of [undefined, { authorization: `Basic ${btoa('patroni:guess')}` }]) {
      const body = JSON.stringify({ leader: 'db1', candidate: 'db2' })
      const { status } = await fetch(`http://db1:8008/${path}`, { method: 'POST', body, ...(headers && { headers }) })
      if (status !== 401) open.push(`POST /${path}: ${status}`)
    }
  return open
}

export const superuserUrl = (hosts: string) =>
  `postgres://postgres:${settings('node.env', 'db1').PATRONI_SUPERUSER_PASSWORD}@${hosts}/supply`

let haproxy: Process | undefined

export function startHaproxy(): void {
  haproxy = startProcess('haproxy', 'haproxy', ['-db', '-f', join(files, 'haproxy.cfg')])
}

export async function stopHaproxy(): Promise<void> {
  haproxy?.signal('SIGKILL')
  await haproxy?.ended
}

function patronictl(...args: string[]): string {
  const env = { ...process.env, ...settings('node.env', 'db1') }
  return execFileSync('patronictl', ['-c', join(files, 'patroni.yml'), ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
    env,
  })
}

function members(): Member[] {
  const list = JSON.parse(patronictl('list', '--format', 'json')) as { [field: string]: unknown }[]
  return list.map(({ Member, Role, State, 'Lag in MB': lag }) => ({
    name: Member as Node,
    role: String(Role).toLowerCase(),
    state: String(State),
    ...(typeof lag === 'number' ? { lag } : {}),
  }))
}

/** Waits until one node is the primary and both others follow it, in synchronous mode one of them as the synchronous one. */
export async function healthy(seconds = 90, isSynchronous = true): Promise<void> {
  const end = performance.now() + seconds * 1_000
  for (;;) {
    const all = await Promise.resolve()
      .then(members)
      .catch(() => [])
    const followers = all.filter(({ role, state }) => role !== 'leader' && /^(running|streaming)$/.test(state))
    const hasSync = !isSynchronous || all.some(({ role }) => role === 'sync standby')
    if (all.some(({ role }) => role === 'leader') && followers.length === 2 && hasSync) return
    if (performance.now() > end) throw new Error(`the cluster is not healthy: ${JSON.stringify(all)}`)
    await sleep(500)
  }
}

export const primary = () => nodeOf('leader')
export const synchronousStandby = () => nodeOf('sync standby')

function nodeOf(role: string): Node {
  const member = members().find((each) => each.role === role)
  if (member === undefined) throw new Error(`no node is the ${role}`)
  return member.name
}

const pidsOf = (node: Node) => run('ip', 'netns', 'pids', node).split('\n').filter(Boolean).map(Number)
const commandOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** The node is gone at once, as in a power cut: nobody gets a word from it any more. */
export function killNode(node: Node): void {
  run('ip', 'link', 'set', node, 'down')
  for (const pid of pidsOf(node)) signal(pid, 'SIGKILL')
}

export function killPostmaster(node: Node): void {
  for (const pid of pidsOf(node)) if (/postgres -D /.test(commandOf(pid))) signal(pid, 'SIGKILL')
}

/** Kills etcd on all nodes. */
export function killEtcd(): void {
  for (const node of nodes)
    for (const pid of pidsOf(node)) if (/^(\S*\/)?etcd\b/.test(commandOf(pid))) signal(pid, 'SIGKILL')
}

/** Nothing of PostgreSQL passes between a node and the other nodes any more; etcd and Patroni still reach each other. */
export function cutReplication(node: Node): void {
  const others = nodes.filter((other) => other !== node).map((other) => addresses[other])
  const rules = ['ip saddr', 'ip daddr'].map((side) => `${side} { ${others.join(', ')} }`)
  shell(`ip netns exec ${node} nft add table ip cut
    ip netns exec ${node} nft add chain ip cut in '{ type filter hook input priority 0; }'
    ip netns exec ${node} nft add chain ip cut out '{ type filter hook output priority 0; }'
    ip netns exec ${node} nft add rule ip cut in ${rules[0]} tcp dport 5432 drop
    ip netns exec ${node} nft add rule ip cut out ${rules[1]} tcp sport 5432 drop`)
}

export function mendReplication(node: Node): void {
  shell(`ip netns exec ${node} nft delete table ip cut`)
}

/** Makes the synchronous standby the primary. Named as the candidate, it need not ask the other nodes first. */
export function switchOver(): void {
  patronictl('switchover', 'supply', '--candidate', synchronousStandby(), '--force')
}

/** Sets the cluster to asynchronous replication, in which a standby that lags may take over. */
export async function becomeAsynchronous(): Promise<void> {
  const set = ['synchronous_mode=false', 'synchronous_mode_strict=false', 'maximum_lag_on_failover=1000000000']
  patronictl('edit-config', '--force', ...set.flatMap((each) => ['--set', each]))
  await healthy(30, false)
  while (members().some(({ role }) => role === 'sync standby')) await sleep(500)
}
