import packageJson from '../package.json' with { type: 'json' }

/** The release of this program, such as 1.0.0. */
export const release = packageJson.version
