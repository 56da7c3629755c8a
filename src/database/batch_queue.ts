/** An entry that waits for a batch: its key, and how much work it is, at least 1. */
export type Waiting = { key: string; weight: number }

export type BatchQueue<Member extends Waiting> = {
  /** Whether `take` would return no members. */
  readonly isEmpty: boolean
  add(member: Member): void
  /** Takes back a member that waits no longer. */
  remove(member: Member): void
  /** Puts members back before the others of their keys. None of these keys is taken until `resume`. */
  pause(members: Member[]): void
  resume(): void
  /** The next batch: at most `max` members of at most `maxWeight` in all, or one member that alone weighs more. */
  take(max: number, maxWeight: number): Member[]
}

/**
 * A queue that is fair to the keys: they take turns, each turn is worth an equal share of the batch's weight but one
 * member at least, and within a key the oldest goes first. A key whose next member is too heavy for what is left of a
 * batch keeps its place and comes first in the next, so that lighter ones can fill up and none starves.
 */
export function createBatchQueue<Member extends Waiting>(): BatchQueue<Member> {
  // The keys in the order of their turns.
  const queues = new Map<string, Set<Member>>()
  const paused = new Map<string, Set<Member>>()

  return {
    get isEmpty() {
      return queues.size === 0
    },

    add(member) {
      const queue = paused.get(member.key) ?? queues.get(member.key)
      if (queue) queue.add(member)
      else queues.set(member.key, new Set([member]))
    },

    remove(member) {
      paused.get(member.key)?.delete(member)
      const queue = queues.get(member.key)
      if (queue?.delete(member) && queue.size === 0) queues.delete(member.key)
    },

    pause(members) {
      for (const [key, ofKey] of Map.groupBy(members, (member) => member.key)) {
        const others = paused.get(key) ?? queues.get(key) ?? []
        paused.set(key, new Set([...ofKey, ...others]))
        queues.delete(key)
      }
    },

    resume() {
      for (const [key, queue] of paused) if (queue.size > 0) queues.set(key, queue)
      paused.clear()
    },

    take(max, maxWeight) {
      const taken: Member[] = []
      const share = maxWeight / queues.size
      let weightLeft = maxWeight
      // A key that has had its turn goes to the end of the map, where this loop reaches it again.
      for (const [key, queue] of queues) {
        if (taken.length === max || weightLeft <= 0) break
        let turn = 0
        for (const member of queue) {
          const fits = taken.length === 0 || (taken.length < max && member.weight <= weightLeft)
          if (!fits || (turn > 0 && turn + member.weight > share)) break
          queue.delete(member)
          taken.push(member)
          turn += member.weight
          weightLeft -= member.weight
        }
        if (turn === 0) continue
        queues.delete(key)
        if (queue.size > 0) queues.set(key, queue)
      }
      return taken
    },
  }
}

/**
 * The unanswered weight, in total and by key. An entry that would exceed a limit is not added, unless it is the only
 * one.
 */
export function createPending(max: number, maxOfKey: number) {
  const ofKeys = new Map<string, number>()
  let all = 0
  return {
    add(key: string, weight: number): boolean {
      const ofKey = ofKeys.get(key) ?? 0
      if (all > 0 && all + weight > max) return false
      if (ofKey > 0 && ofKey + weight > maxOfKey) return false
      all += weight
      ofKeys.set(key, ofKey + weight)
      return true
    },
    remove(key: string, weight: number): void {
      const ofKey = (ofKeys.get(key) ?? 0) - weight
      all -= weight
      if (ofKey > 0) ofKeys.set(key, ofKey)
      else ofKeys.delete(key)
    },
  }
}
