import { type BatchQueue, createBatchQueue, type Waiting } from './batch_queue.ts'
import { keepInTime, type Retried } from './batch_retry.ts'
import { DatabaseBusy } from './errors.ts'

export type BusyOptions<Member> = {
  /**
   * Runs members, waiting so long for the lock of the first one's key and for no other, and returns those whose key was
   * busy. The others are settled. Never rejects.
   */
  run: (members: Member[], lockWaitMs: number) => Promise<Member[]>
  max: number
  maxWeight: number
}

// A batch of another process has a lock for less. Each key that is held for longer delays the others once by this.
const contendedMs = 50
const heldMs = 1_000
const heldAtOnce = 2

/**
 * Runs apart the members of keys whose locks others have, so that the next batches wait for none of them. Most locks are
 * those of another process's batch: their members go together, and each run waits shortly for the key that has waited
 * longest. A key whose lock is not free then is held: its members wait for it alone, few keys at a time, and are
 * rejected as unavailable if it is still not free.
 */
export function createBusyLine<Member extends Waiting & Retried>(options: BusyOptions<Member>) {
  const { run, max, maxWeight } = options
  const keys = new Set<string>()
  const contended = createBatchQueue<Member>()
  const held = new Map<string, BatchQueue<Member>>()
  const heldNow = new Set<string>()
  let contendedRuns = 0

  async function runInTime(members: Member[], lockWaitMs: number): Promise<Member[]> {
    const inTime = keepInTime(members)
    return inTime.length === 0 ? [] : run(inTime, lockWaitMs)
  }

  async function runContended(): Promise<void> {
    contendedRuns += 1
    while (!contended.isEmpty) {
      const members = contended.take(max, maxWeight)
      const first = members[0]?.key
      for (const member of await runInTime(members, contendedMs)) {
        if (member.key === first) hold(member)
        else contended.add(member)
      }
      startHeld()
      forget(members)
    }
    contendedRuns -= 1
  }

  function hold(member: Member): void {
    const queue = held.get(member.key) ?? createBatchQueue<Member>()
    queue.add(member)
    held.set(member.key, queue)
  }

  function startHeld(): void {
    for (const [key, queue] of held) {
      if (heldNow.size === heldAtOnce) return
      if (!heldNow.has(key)) void runHeld(key, queue)
    }
  }

  async function runHeld(key: string, queue: BatchQueue<Member>): Promise<void> {
    heldNow.add(key)
    held.delete(key)
    const members = queue.take(max, maxWeight)
    // Behind the other keys. What comes from now on joins it.
    if (!queue.isEmpty) held.set(key, queue)
    for (const { reject } of await runInTime(members, heldMs)) reject(new DatabaseBusy())
    heldNow.delete(key)
    forget(members)
    startHeld()
  }

  function forget(members: Member[]): void {
    for (const { key } of members) {
      if (!contended.has(key) && !held.has(key) && !heldNow.has(key)) keys.delete(key)
    }
  }

  return {
    /** Whether members of this key wait here: further ones are to wait with them. */
    has: (key: string): boolean => keys.has(key),

    add(members: Member[]): void {
      for (const member of members) {
        keys.add(member.key)
        if (held.has(member.key) || heldNow.has(member.key)) hold(member)
        else contended.add(member)
      }
      startHeld()
      if (contendedRuns === 0 && !contended.isEmpty) void runContended()
    },
  }
}
