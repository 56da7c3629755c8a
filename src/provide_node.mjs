// npm runs this after `npm ci` with its own Node. That may be an old one, which cannot read TypeScript. npm 11 puts the
// Node of our packages first on the PATH of all scripts. npm 10 unpacks it, but takes its link away again with that of
// another platform's package; this makes the link again.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = new URL('../', import.meta.url)
const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const [needed, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node) ?? []

function isNewEnough() {
  const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number)
  return ownMajor > Number(major) || (ownMajor === Number(major) && ownMinor >= Number(minor))
}

const name = `node-${process.platform}-${process.arch}`
const program = new URL(`node_modules/${name}/bin/node`, root)

if (needed === undefined) throw new Error(`engines.node of package.json is not of the form >=24.15: ${engines.node}`)
if (!isNewEnough()) {
  if (existsSync(program)) {
    const link = fileURLToPath(new URL('node_modules/.bin/node', root))
    mkdirSync(new URL('node_modules/.bin/', root), { recursive: true })
    rmSync(link, { force: true })
    symlinkSync(`../${name}/bin/node`, link)
  } else {
    console.error(
      `supply-ordering needs Node.js ${major}.${minor} or newer: this is ${process.versions.node}, and the package ${name}, ` +
        'which would bring one, is not installed. Install Node.js from https://nodejs.org and run npm ci again.',
    )
    process.exitCode = 1
  }
}
