import packageJson from '../package.json' with { type: 'json' }

/** The release of this program, such as 1.0.0. */
export const release = packageJson.version

/** Whether a release comes after another one. */
export function isLater(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { numeric: true }) > 0
}
