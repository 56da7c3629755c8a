import type { Command } from './command_line.ts'

const readme = 'All settings come from the environment: docs/operations/settings.md lists them.'

/** The commands of the service, by name. Each loads its own parts alone: all of them cost half a second and much memory. */
export const commands: { [name: string]: Command } = {
  start: {
    run: async () => (await import('./start.ts')).start(),
    help: `The whole service in one process.

Without DATABASE_URL it runs a PostgreSQL of its own under DATA_DIR (.data), with a demo partner, a demo catalog and two
simulated suppliers. On a terminal it tells each order's story; into a pipe, and where NODE_ENV is production, it writes
JSON.
PORT (3000) and HOST (127.0.0.1) say where it listens.
${readme}`,
  },
  api: {
    run: async () => (await import('./api.ts')).api(),
    help: `The partners' HTTP interface alone.

Needs DATABASE_URL, of a database that npm run migrate has brought up to date.
PORT (3000) and HOST (127.0.0.1) say where it listens.
${readme}`,
  },
  worker: {
    run: async () => (await import('./worker.ts')).worker(),
    help: `The calls to suppliers, the webhooks and the alerts.

Needs DATABASE_URL, of a database that npm run migrate has brought up to date; runs beside npm run api.
${readme}`,
  },
  migrate: {
    run: async () => (await import('./migrate.ts')).migrateCommand(),
    help: `Brings the database of DATABASE_URL up to date.

Makes its tables, functions and rights, or changes them while the service runs, and the logins that API_DB_PASSWORD,
WORKER_DB_PASSWORD and OPERATOR_DB_PASSWORD are set for.
${readme}`,
  },
  reseal: {
    run: async () => (await import('./reseal.ts')).resealCommand(),
    help: `Seals all codes, secrets and tokens of the database with the first key of DATA_KEYS.

Needs DATABASE_URL, of the worker's login, and DATA_KEYS with all keys that sealed data so far. It works in small parts
while the service runs, and can be repeated after it ended early. Afterwards DATA_KEYS needs its first key only.`,
  },
  'webhook-secret': {
    run: async (argv) => (await import('./webhook_secret.ts')).webhookSecret(argv),
    argument: 'ACCOUNT',
    help: `Prints the secret that signs the events of an account.

ACCOUNT is the account's number or name. Needs DATABASE_URL, of a login that may act as an operator, and DATA_KEYS
where the secret is sealed. The operators' log records each call.`,
  },
  'find-code': {
    run: async (argv) => (await import('./find_code.ts')).findCode(argv),
    argument: 'CODE',
    help: `Prints which orders have a code, or had it before it was replaced.

Needs DATABASE_URL, of a login that may act as an operator, and DATA_KEYS where codes are sealed. It shows no code.`,
  },
  supplier: {
    run: async () => (await import('./supplier.ts')).supplier(),
    help: `The simulated suppliers alone.

PORT (4000) and HOST (127.0.0.1) say where they listen, SUPPLIER_TOKEN which token they take. What they do with an order
depends on the last two digits of its player id.`,
  },
  seed: {
    run: async () => (await import('./seed.ts')).seed(),
    help: `Loads the demo partner and the demo catalog into the database of DATABASE_URL.

SUPPLIER_URL (http://127.0.0.1:4000) is where the simulated suppliers are. Prints the demo partner's key. Keep it from a
database with real data.`,
  },
  demo: {
    run: async () => (await import('./demo.ts')).demo(),
    help: `Places four orders at a running service, and shows their signed webhooks arriving.

The service is the one that npm start runs here, or that of PUBLIC_URL or HOST and PORT with its DATABASE_URL.`,
  },
  receiver: {
    run: async (argv) => (await import('./receiver.ts')).receiver(argv),
    help: 'A receiver of webhooks to try things on.',
    takesArguments: true,
  },
}
