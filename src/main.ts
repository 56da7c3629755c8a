import { readCommandLine } from './commands/command_line.ts'
import { commands } from './commands/commands.ts'
import { describeFailure } from './commands/failure.ts'

const argv = process.argv.slice(2)
const request = readCommandLine(commands, argv)
if ('print' in request) {
  console[request.exitCode === 0 ? 'log' : 'error'](request.print)
  process.exit(request.exitCode)
}
try {
  await request.run()
} catch (error) {
  // For a wrong setting, or a database that does not answer, one line is clearer than a stack.
  console.error(describeFailure(error, argv[0] ?? ''))
  process.exit(1)
}
