import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** The API in a process of its own. */
export type ApiProcess = {
  url: string
  /** Tells it to end, and waits for its exit code. */
  end(): Promise<number | null>
  /** Kills it. Does nothing to one that has gone. */
  kill(): void
}

const main = join(import.meta.dirname, '../../../src/main.ts')

/** Runs `npm run api` against a database, on a free port. Rejects if it ends at once. */
export async function startApiProcess(
  databaseUrl: string,
  settings: { [name: string]: string } = {},
): Promise<ApiProcess> {
  const child = spawn(process.execPath, [main, 'api'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8',
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000000',
      LOG_LEVEL: 'silent',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^ready: (.*)$/.exec(line)?.[1]
    if (url === undefined) continue
    return {
      url,
      end: async () => {
        const exited = once(child, 'exit')
        child.kill('SIGTERM')
        return (await exited)[0]
      },
      kill: () => void child.kill('SIGKILL'),
    }
  }
  throw new Error('the API ended at once')
}
