/** A command of the service, with its help. */
export type Command = {
  run: (argv: string[]) => Promise<void>
  /** Its help, in lines for a terminal. */
  help: string
  /** Reads its arguments itself, `--help` too. */
  takesArguments?: true
  /** The one argument that it needs. A command without this takes none. */
  argument?: string
}

/** What a command line asks for: a command to run, or a text to print and the exit code that goes with it. */
export type Request = { run: () => Promise<void> } | { print: string; exitCode: 0 | 2 }

/** Reads the command line, without Node and the program. */
export function readCommandLine(commands: { [name: string]: Command }, argv: string[]): Request {
  const [name = '', ...rest] = argv
  if (isHelp(name) || name === 'help') return { print: overview(commands), exitCode: 0 }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    const fault = name === '' ? 'which command?' : `there is no command ${JSON.stringify(name)}.`
    return { print: `${fault} The commands: ${Object.keys(commands).join(', ')}`, exitCode: 2 }
  }
  if (command.takesArguments) return { run: () => command.run(rest) }
  const usage = `usage: ${npmCall(name)}${command.argument === undefined ? '' : ` -- ${command.argument}`}`
  if (rest.some(isHelp)) return { print: `${usage}\n\n${command.help}`, exitCode: 0 }
  if (command.argument !== undefined) {
    return rest.length === 1 ? { run: () => command.run(rest) } : { print: usage, exitCode: 2 }
  }
  const [wrong] = rest
  if (wrong !== undefined) {
    const advice = `${npmCall(name)} -- --help shows what does`
    return {
      print: `${name}: takes no argument, and ${JSON.stringify(wrong)} says nothing to it; ${advice}`,
      exitCode: 2,
    }
  }
  return { run: () => command.run(rest) }
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}

function npmCall(name: string): string {
  return name === 'start' ? 'npm start' : `npm run ${name}`
}

function overview(commands: { [name: string]: Command }): string {
  const lines = Object.entries(commands).map(
    ([name, { help }]) => `  ${npmCall(name).padEnd(18)}${help.split('\n')[0]}`,
  )
  return `The commands, each of which explains itself with -- --help:\n\n${lines.join('\n')}`
}
