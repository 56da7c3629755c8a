export { type Claim, claimServer } from './claim.ts'
export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './start.ts'
