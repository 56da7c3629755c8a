import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../docs')

/** A language of the guide: how its programs are made ready in a folder, and run there. */
export type Language = {
  name: string
  /** Exits with 0 where the language is on the machine, in a version that will do. */
  probe: string[]
  isRecent?: (version: string) => boolean
  firstOrder: Program
  receiver?: Program
  /** What judges the vectors of signatures in docs/verify, in that folder. */
  verify?: string[]
}

type Program = {
  /** The files of docs/ that it consists of: side by side, as a partner has them. */
  files: string[]
  /** What compiles it, with every warning. */
  build?: string[][]
  command: string[]
}

const java = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', 'classes']

const languages: Language[] = [
  {
    name: 'curl',
    probe: ['bash', '-c', 'command -v curl'],
    firstOrder: { files: ['programs/first_order.sh'], command: ['bash', 'first_order.sh'] },
  },
  {
    name: 'TypeScript',
    probe: [process.execPath, '-v'],
    firstOrder: { files: ['programs/first_order.ts'], command: [process.execPath, 'first_order.ts'] },
    receiver: { files: ['programs/receiver.ts', 'verify/verify.ts'], command: [process.execPath, 'receiver.ts'] },
    verify: [process.execPath, 'verify.ts'],
  },
  {
    name: 'Python',
    probe: ['python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 8))'],
    firstOrder: { files: ['programs/first_order.py'], command: ['python3', '-W', 'error', 'first_order.py'] },
    receiver: {
      files: ['programs/receiver.py', 'verify/verify.py'],
      command: ['python3', '-W', 'error', 'receiver.py'],
    },
    verify: ['python3', 'verify.py'],
  },
  {
    name: 'PHP',
    probe: ['php', '-r', 'exit(PHP_VERSION_ID < 80100 ? 1 : 0);'],
    firstOrder: { files: ['programs/first_order.php'], command: ['php', 'first_order.php'] },
    receiver: {
      files: ['programs/receiver.php', 'verify/verify.php'],
      // Without its php.ini, as its images for containers have none: PHP then shows errors in the answers.
      command: ['php', '-n', '-d', 'post_max_size=16M', '-S', '127.0.0.1:$PORT', 'receiver.php'],
    },
    verify: ['php', 'verify.php'],
  },
  {
    name: 'Go',
    probe: ['go', 'version'],
    isRecent: (version) => Number(/go1\.(\d+)/.exec(version)?.[1]) >= 19,
    firstOrder: {
      files: ['programs/first_order.go'],
      build: [
        ['gofmt', '-l', 'first_order.go'],
        ['go', 'vet', 'first_order.go'],
        ['go', 'build', '-o', 'first_order', 'first_order.go'],
      ],
      command: ['./first_order'],
    },
    receiver: {
      files: ['programs/receiver.go', 'verify/verify.go'],
      build: [
        ['gofmt', '-l', 'receiver.go', 'verify.go'],
        ['go', 'vet', 'receiver.go', 'verify.go'],
        ['go', 'build', '-o', 'receiver', 'receiver.go', 'verify.go'],
      ],
      command: ['./receiver'],
    },
    verify: ['go', 'run', 'verify.go', 'vectors.go'],
  },
  {
    name: 'Java',
    probe: ['java', '-version'],
    isRecent: (version) => Number(/version "(\d+)/.exec(version)?.[1]) >= 17,
    firstOrder: {
      files: ['programs/FirstOrder.java'],
      build: [['javac', '-Xlint:all,-auxiliaryclass', '-Werror', '-d', 'classes', 'FirstOrder.java']],
      command: [...java, 'FirstOrder'],
    },
    receiver: {
      files: ['programs/Receiver.java', 'verify/Verify.java'],
      build: [['javac', '-Xlint:all,-auxiliaryclass', '-Werror', '-d', 'classes', 'Receiver.java', 'Verify.java']],
      command: [...java, 'Receiver'],
    },
    verify: ['java', 'Verify.java'],
  },
]

export const presentLanguages = languages.filter(({ probe: [program = '', ...args], isRecent }) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 && (isRecent?.(stdout + stderr) ?? true)
})

const absent = languages.filter((language) => !presentLanguages.includes(language)).map(({ name }) => name)

/** Says once in which languages `what` is not run. */
export function tellOfAbsentLanguages(what: string): void {
  if (absent.length > 0) console.info(`not on this machine, hence ${what} not run: ${absent.join(', ')}`)
}

/** The environment of a program: no more than it needs, and Go without its network. */
export const environment = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  GOFLAGS: '-mod=mod',
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
}

/** Lays a program's files side by side in a folder of its own and compiles it there. Rejects for a warning. */
export async function makeReady({ files, build = [] }: Program, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of files) copyFileSync(join(docs, file), join(folder, file.split('/')[1] ?? ''))
  for (const [program = '', ...args] of build) {
    const { stdout, stderr } = await run(program, args, { cwd: folder, env: environment })
    if (stdout + stderr !== '') throw new Error(stdout + stderr)
  }
}

/** Runs a task in order of arrival, never more than two at a time: compilers and virtual machines like the processor. */
export function twoAtATime(): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running === 2) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
