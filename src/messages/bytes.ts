/** Bytes that come in pieces, held in one buffer: a piece costs its bytes, however small it is. */
export type Bytes = {
  /** How many bytes there are, and how many the buffer takes up. */
  readonly size: number
  readonly capacity: number
  /** Adds a piece. Returns false, and adds nothing, where the limit would be passed. */
  add(piece: Uint8Array): boolean
  /** All bytes, in the buffer itself: add nothing afterwards. */
  all(): Buffer
}

const leastCapacity = 256

/** Makes an empty holder of at most `limit` bytes. Its buffer grows by doubling, so that it is at most half empty. */
export function createBytes(limit: number): Bytes {
  let buffer = Buffer.alloc(0)
  let size = 0

  function grow(needed: number): void {
    const capacity = Math.min(limit, Math.max(needed, buffer.length * 2, leastCapacity))
    // A piece of Node's shared pool would keep the whole pool alive.
    const larger = Buffer.allocUnsafeSlow(capacity)
    buffer.copy(larger, 0, 0, size)
    buffer = larger
  }

  return {
    get size() {
      return size
    },
    get capacity() {
      return buffer.length
    },
    add(piece) {
      const needed = size + piece.length
      if (needed > limit) return false
      if (needed > buffer.length) grow(needed)
      buffer.set(piece, size)
      size = needed
      return true
    },
    all: () => buffer.subarray(0, size),
  }
}

/**
 * Reads a stream to its end. Of a stream that is larger than the limit it returns the bytes within it and discards the
 * rest. Throws what the stream throws.
 */
export async function readBytes(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<{ bytes: Buffer; tooLarge: boolean }> {
  const bytes = createBytes(limit)
  let tooLarge = false
  for await (const piece of stream) {
    if (!tooLarge) tooLarge = !bytes.add(piece)
  }
  return { bytes: bytes.all(), tooLarge }
}
