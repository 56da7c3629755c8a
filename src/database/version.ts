import { isLater } from '../release.ts'

/**
 * The state of a database: its last migration's name, the checksum of the function files that are loaded, and the
 * release that did so.
 */
export type Version = { migration: string; checksum: string; release: string }

/**
 * Whether a database serves a program that was written for `expected`: it is of this release or of a later one, which
 * the program can use, since changes only add.
 */
export function serves({ migration, checksum, release }: Version, expected: Version): boolean {
  if (migration !== expected.migration) return migration > expected.migration
  return checksum === expected.checksum || isLater(release, expected.release)
}

/**
 * The same for states that are seen one after the other: functions that were those of this program may be replaced
 * within a release, too.
 */
export function currentFor(expected: Version): (state: Version) => boolean {
  let wasCurrent = false
  return (state) => {
    wasCurrent ||= serves(state, expected)
    return wasCurrent && state.migration >= expected.migration
  }
}
