import { statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { docsFolder, guidePages } from './pages.ts'

/** The folders whose files are served as they stand: programs that the guide shows. */
const fileFolders = ['verify', 'programs']

/** The path of a file that the guide serves, or undefined where it has none of this name. */
export function guideFile(folder: string, name: string): string | undefined {
  if (!fileFolders.includes(folder) || !/^\w[\w.]*$/.test(name)) return undefined
  const path = join(docsFolder, folder, name)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined
}

/**
 * The address of what a link in a page of the guide names by its relative path: another page, a program, or something
 * elsewhere. `base` is the path under which the service is reached. Throws for a link that leads nowhere.
 */
export function addressIn(base: string, target: string): string {
  if (target.startsWith('https://')) return target
  const [relative = '', fragment] = target.split('#')
  const file = posix.join('guide', relative)
  const page = guidePages.find((one) => one.file === file)
  if (page !== undefined) return `${base}${page.path}${fragment === undefined ? '' : `#${fragment}`}`
  const [folder = '', name = ''] = file.split('/')
  if (guideFile(folder, name) === undefined) throw new Error(`a link in the guide leads nowhere: ${target}`)
  return `${base}/docs/${folder}/${name}`
}
