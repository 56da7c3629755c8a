/** The state of a database: its last migration's name, and the checksum of the function files that are loaded. */
export type Version = { migration: string; checksum: string }
