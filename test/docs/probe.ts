import { spawnSync } from 'node:child_process'

/** How to know whether a language is on the machine. */
export type Probed = {
  name: string
  /** Exits with 0 where the language is on the machine, in a version that will do. */
  probe: string[]
  isRecent?: (version: string) => boolean
}

/** Whether a language is on this machine, in a version that will do. */
export function isOnThisMachine({ probe: [program = '', ...args], isRecent }: Probed): boolean {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  return status === 0 && (isRecent?.(stdout + stderr) ?? true)
}
