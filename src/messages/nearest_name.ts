/**
 * The known name that a misspelt one means: at most two letters differ, or the known one begins or ends with the given
 * one. Case and separators do not count. Undefined if none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name)
  const distances = known.map((each) => distanceOf(plain, plainName(each)))
  const nearest = Math.min(...distances)
  if (nearest <= Math.min(2, plain.length / 3)) return known[distances.indexOf(nearest)]
  if (plain.length < 2) return undefined
  return known.find((each) => plainName(each).endsWith(plain) || plainName(each).startsWith(plain))
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** How many letters must be added, removed or replaced to turn one text into another. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
