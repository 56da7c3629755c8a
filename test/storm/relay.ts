import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What a relay does with a connection: see `startRelay`. */
export type Treatment = 'pass' | 'drop answers' | 'cut after request'

/** Stands between a client and a server on this machine, on one port for as long as it lives. */
export type Relay = {
  port: number
  /** Resets all connections; new ones are let through. */
  cut(): void
  /** Nothing goes either way, and nothing is lost: what was held goes on with `pass`. */
  hold(): void
  /** What is connected now hears nothing any more, as when a NAT forgets it; new connections are let through. */
  forget(): void
  /** Ends the connections that were forgotten for the server alone. */
  closeForgotten(): void
  /** Resets the connections that were forgotten. */
  resetForgotten(): void
  /** Resets all connections, and new ones at once. */
  refuse(): void
  pass(): void
  close(): Promise<void>
}

type Line = { near: Socket; far: Socket; forgotten: boolean }

/**
 * Starts a relay to a port that may change, or be none for a time. With `drop answers` a connection is reset as soon as
 * the server has begun to answer, before the client sees any of it; with `cut after request`, once a request is through.
 */
export async function startRelay(
  target: () => number | undefined,
  treat: () => Treatment = () => 'pass',
): Promise<Relay> {
  const lines = new Set<Line>()
  let mode: 'pass' | 'hold' | 'refuse' = 'pass'

  const reset = (line: Line) => {
    lines.delete(line)
    line.near.resetAndDestroy()
    line.far.resetAndDestroy()
  }
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => {})
    const port = target()
    if (mode === 'refuse' || port === undefined) return void near.resetAndDestroy()
    const far = connect({ port, host: '127.0.0.1', noDelay: true })
    far.on('error', () => near.resetAndDestroy())
    const line: Line = { near, far, forgotten: false }
    lines.add(line)
    const end = () => {
      // Whoever is forgotten does not learn that the other side has gone.
      if (line.forgotten) return
      lines.delete(line)
      near.destroy()
      far.destroy()
    }
    near.on('close', end)
    far.on('close', end)
    join(line, treat())
    if (mode === 'hold') setHeld(line, true)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    cut: () => [...lines].forEach(reset),
    hold: () => {
      mode = 'hold'
      for (const line of lines) setHeld(line, true)
    },
    forget: () => {
      for (const line of lines) {
        line.forgotten = true
        setHeld(line, true)
      }
    },
    closeForgotten: () => {
      for (const { far, forgotten } of lines) if (forgotten) far.destroy()
    },
    resetForgotten: () => [...lines].filter(({ forgotten }) => forgotten).forEach(reset),
    refuse: () => {
      mode = 'refuse'
      for (const line of lines) reset(line)
    },
    pass: () => {
      mode = 'pass'
      for (const line of lines) if (!line.forgotten) setHeld(line, false)
    },
    close: async () => {
      server.close()
      for (const line of lines) reset(line)
      await once(server, 'close')
    },
  }
}

function join({ near, far }: Line, treatment: Treatment): void {
  near.on('data', (chunk: Buffer) => {
    far.write(chunk)
    if (treatment === 'cut after request') setTimeout(() => near.resetAndDestroy(), 5)
  })
  far.on('data', (chunk: Buffer) => {
    if (treatment === 'drop answers') near.resetAndDestroy()
    else near.write(chunk)
  })
}

function setHeld({ near, far }: Line, held: boolean): void {
  for (const socket of [near, far]) {
    if (held) socket.pause()
    else socket.resume()
  }
}
