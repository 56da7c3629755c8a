/** Whether PostgreSQL can store a text: it takes neither U+0000 nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}

/** A text as PostgreSQL can store it: what it does not take is U+FFFD. */
export function storable(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').toWellFormed()
}
