/**
 * The one of the known names that was probably meant: one that differs in case alone, by two letters at most, or by what
 * follows the name after an underscore. Undefined if none is near.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const given = name.toLowerCase()
  const distances = known.map((each) => {
    const other = each.toLowerCase()
    return other.startsWith(`${given}_`) ? 1 : distanceOf(given, other)
  })
  const nearest = Math.min(...distances)
  // Of a short name nearly every letter would differ.
  return nearest <= Math.min(2, Math.floor(name.length / 3)) ? known[distances.indexOf(nearest)] : undefined
}

/** How many letters have to be added, removed or changed (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1]
    for (let n = 0; n < other.length; n += 1) {
      const changed = (previous[n] ?? 0) + (letter === other[n] ? 0 : 1)
      next.push(Math.min(changed, (previous[n + 1] ?? 0) + 1, (next[n] ?? 0) + 1))
    }
    previous = next
  }
  return previous[other.length] ?? 0
}
