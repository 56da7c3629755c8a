import { statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { docsFolder, guidePages } from './pages.ts'

/** The folders of programs that the guide serves as they stand. */
const fileFolders = ['verify', 'programs']

/** The path of a file that the guide serves, or undefined if there is no such file. */
export function guideFile(folder: string, name: string): string | undefined {
  const isServed = folder === '' ? name === 'requests.http' : fileFolders.includes(folder)
  if (!isServed || !/^\w[\w.]*$/.test(name)) return undefined
  const path = join(docsFolder, folder, name)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined
}

/**
 * The address of a link in the guide, which names a page or a file by its relative path. `base` is the path of the
 * service. Throws for a broken link.
 */
export function addressIn(base: string, target: string): string {
  if (target.startsWith('https://')) return target
  const [relative = '', fragment] = target.split('#')
  const file = posix.join('guide', relative)
  const page = guidePages.find((one) => one.file === file)
  if (page !== undefined) return `${base}${page.path}${fragment === undefined ? '' : `#${fragment}`}`
  const { dir, base: name } = posix.parse(file)
  if (guideFile(dir, name) === undefined) throw new Error(`a link in the guide leads nowhere: ${target}`)
  return `${base}/docs/${file}`
}
