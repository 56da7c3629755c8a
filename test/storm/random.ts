import { createHash } from 'node:crypto'

/** A stream of numbers that a seed and a name decide. */
export type Random = {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** A key, each as likely as its weight says. */
  weighted<K extends string>(weights: { readonly [key in K]: number }): K
  /** All entries in a random order. */
  shuffle<T>(list: readonly T[]): T[]
  /** A stream of its own: what is drawn from it, and how much, changes nothing in this one. */
  branch(name: string | number): Random
}

/** The stream of a name under a seed: who asks elsewhere, or more often, changes nothing in it. */
export function randomOf(seed: number, name: string): Random {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0)
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('there is nothing to pick from')
    return list[int(0, list.length - 1)] as T
  }
  return {
    next,
    int,
    pick,
    chance: (probability) => next() < probability,
    weighted: <K extends string>(weights: { readonly [key in K]: number }): K => {
      const entries = Object.entries(weights) as [K, number][]
      let rest = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of entries) {
        rest -= weight
        if (rest < 0) return key
      }
      return pick(entries)[0]
    },
    branch: (part) => randomOf(seed, `${name} ${part}`),
    shuffle: (list) => {
      const rest = [...list]
      return list.map(() => rest.splice(int(0, rest.length - 1), 1)[0] as (typeof list)[number])
    },
  }
}
