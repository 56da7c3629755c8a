/** How many bodies may be under way at once, and how many bytes of bodies may be held. */
export type BodyLimits = { bodies: number; bytes: number }

/** Why a body is not taken: its client has its share under way already, or the process as much as it takes. */
export type BodyRefusal = 'RATE_LIMITED' | 'UNAVAILABLE'

/** What one body takes of the allowance. */
export type BodyHold = {
  /** Takes more bytes, or says why not. */
  grow(bytes: number): BodyRefusal | undefined
  /** The body is whole: it is no longer under way, but its bytes are held. */
  arrive(): void
  /** Gives everything back. May be called again. */
  release(): void
}

export type BodyAllowance = {
  /** Takes a place for a body of a client, or says why there is none. `network` is what the client is counted by. */
  take(network: string): BodyHold | BodyRefusal
}

// One client alone must not make every other one's requests fail.
const clientShare = 1 / 4

/** Makes the allowance of one process for the bodies of requests. One client may take a quarter of it. */
export function createBodyAllowance(limits: BodyLimits): BodyAllowance {
  const all = { bodies: 0, bytes: 0 }
  const byNetwork = new Map<string, BodyLimits>()
  const share = { bodies: limits.bodies * clientShare, bytes: limits.bytes * clientShare }

  function refusal(own: BodyLimits, kind: keyof BodyLimits, more: number): BodyRefusal | undefined {
    if (own[kind] + more > share[kind]) return 'RATE_LIMITED'
    return all[kind] + more > limits[kind] ? 'UNAVAILABLE' : undefined
  }

  return {
    take(network) {
      const own = byNetwork.get(network) ?? { bodies: 0, bytes: 0 }
      const refused = refusal(own, 'bodies', 1)
      if (refused !== undefined) return refused
      byNetwork.set(network, own)
      const held = { bodies: 0, bytes: 0 }

      function change(kind: keyof BodyLimits, by: number): void {
        for (const counted of [held, own, all]) counted[kind] += by
      }

      change('bodies', 1)
      return {
        grow(bytes) {
          const tooMuch = refusal(own, 'bytes', bytes)
          if (tooMuch === undefined) change('bytes', bytes)
          return tooMuch
        },
        arrive: () => change('bodies', -held.bodies),
        release() {
          change('bodies', -held.bodies)
          change('bytes', -held.bytes)
          if (own.bodies === 0 && own.bytes === 0 && byNetwork.get(network) === own) byNetwork.delete(network)
        },
      }
    },
  }
}
