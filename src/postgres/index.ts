export { type EmbeddedPostgres, type PostgresOptions, startPostgres } from './start.ts'
