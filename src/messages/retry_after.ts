/** The bounds of a delay that a receiver may ask for, in seconds (specification 6.5). */
const SHORTEST = 5
const LONGEST = 6 * 3600

/** In characters. No date of RFC 9110 has more than 33. A longer value is ignored. */
const MAX_LENGTH = 128

/**
 * Reads a `Retry-After` header as the delay before the next delivery, in seconds, clamped to 5..21600
 * (specification 6.5). Returns null when the header is absent or cannot be parsed: it is then ignored.
 */
export function parseRetryAfter(value: string | string[] | undefined, now: Date): number | null {
  const seconds = retryAfterSeconds(value, now)
  return seconds === null ? null : Math.min(Math.max(seconds, SHORTEST), LONGEST)
}

/**
 * Reads a `Retry-After` header as whole seconds from `now` on, without the clamp: 0 for a past date, rounded up
 * so that nobody comes early. Returns null for anything but the forms of RFC 9110: delta-seconds, IMF-fixdate,
 * RFC 850 date, asctime date. White space around the value does not count. A value of more than 128 characters
 * returns null too.
 *
 * A header that came more than once is ambiguous and returns null, even when its values agree. The name of the
 * weekday must be one, but is not compared with the date.
 */
export function retryAfterSeconds(value: string | string[] | undefined, now: Date): number | null {
  const [given = '', ...others] = [value ?? []].flat()
  if (others.length > 0 || given.length > MAX_LENGTH) return null
  const text = given.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
  const date = parseHttpDate(text, now)
  return date === null ? null : Math.max(Math.ceil((date - now.getTime()) / 1000), 0)
}

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The three forms of RFC 9110, section 5.6.7, which are case-sensitive and always in UTC. */
const HTTP_DATES = [
  /^(?<weekday>[A-Z][a-z]{2}), (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>[A-Z][a-z]{5,8}), (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<time>[\d:]{8}) GMT$/,
  /^(?<weekday>[A-Z][a-z]{2}) (?<month>[A-Z][a-z]{2}) (?<day>[\d ]\d) (?<time>[\d:]{8}) (?<year>\d{4})$/,
]

/** Milliseconds since 1970, or null for a text that is no date or a date that does not exist. */
function parseHttpDate(text: string, now: Date): number | null {
  const found = HTTP_DATES.map((form) => form.exec(text)).find((match) => match !== null)?.groups
  if (found === undefined) return null
  const { weekday = '', year = '', time = '' } = found
  const month = MONTHS.indexOf(found.month ?? '')
  if (month < 0 || !DAYS.some((day) => day === weekday || day.slice(0, 3) === weekday)) return null
  const [, hour, minute, second] = (/^(\d\d):(\d\d):(\d\d)$/.exec(time) ?? []).map(Number)
  if (hour === undefined || minute === undefined || second === undefined) return null
  if (hour > 23 || minute > 59 || second > 60) return null
  const inYear = (year: number): number | null => {
    const date = new Date(0)
    date.setUTCFullYear(year, month, Number(found.day))
    if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(found.day)) return null
    return date.setUTCHours(hour, minute, second)
  }
  return year.length === 2 ? nearestCentury(Number(year), inYear, now) : inYear(Number(year))
}

/** A two-digit year lies at most 50 years in the future, and otherwise in the past (RFC 9110, 5.6.7). */
function nearestCentury(yearOfCentury: number, inYear: (year: number) => number | null, now: Date): number | null {
  const inFiftyYears = new Date(now).setUTCFullYear(now.getUTCFullYear() + 50)
  const latest = now.getUTCFullYear() + 50
  const year = latest - ((((latest - yearOfCentury) % 100) + 100) % 100)
  const date = inYear(year)
  return date !== null && date > inFiftyYears ? inYear(year - 100) : date
}
