/** The state of a database: its last migration's name, and the checksum of the function files that are loaded. */
export type Version = { migration: string; checksum: string }

/**
 * Whether a database, in the states in which it is seen one after the other, serves a program that was written for
 * `expected`. Functions and migrations newer than ours come with the next release, while this one still serves: changes
 * only add. Functions that never were ours mean that nobody has migrated yet.
 */
export function currentFor(expected: Version): (state: Version) => boolean {
  let wasCurrent = false
  return ({ migration, checksum }) => {
    wasCurrent ||= migration >= expected.migration && checksum === expected.checksum
    return wasCurrent && migration >= expected.migration
  }
}
