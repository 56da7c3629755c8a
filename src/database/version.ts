/** The state of a database: its last migration's name, and the checksum of the function files that are loaded. */
export type Version = { migration: string; checksum: string }

/**
 * Whether a database, in the states that are seen one after the other, serves a program that was written for
 * `expected`. Newer functions and migrations belong to the next release, and this release can use them: changes only
 * add. If the database never had our functions, it is not migrated yet.
 */
export function currentFor(expected: Version): (state: Version) => boolean {
  let wasCurrent = false
  return ({ migration, checksum }) => {
    wasCurrent ||= migration >= expected.migration && checksum === expected.checksum
    return wasCurrent && migration >= expected.migration
  }
}
