import { api } from './commands/api.ts'
import { demo } from './commands/demo.ts'
import { migrateCommand } from './commands/migrate.ts'
import { receiver } from './commands/receiver.ts'
import { seed } from './commands/seed.ts'
import { start } from './commands/start.ts'
import { supplier } from './commands/supplier.ts'
import { worker } from './commands/worker.ts'
import { ConfigError } from './config.ts'

const commands: { [name: string]: () => Promise<void> } = {
  start,
  api,
  worker,
  migrate: migrateCommand,
  supplier,
  seed,
  demo,
  receiver: () => receiver(process.argv.slice(3)),
}

const name = process.argv[2] ?? ''
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command === undefined) {
  console.error(`usage: node src/main.ts ${Object.keys(commands).join(' | ')}`)
  process.exit(2)
}
try {
  await command()
} catch (error) {
  // For a wrong setting, or a database that does not answer, one line is clearer than a stack.
  console.error(error instanceof ConfigError ? error.message : `cannot ${name}: ${reasonOf(error)}`)
  process.exit(1)
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
