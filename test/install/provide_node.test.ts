import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import project from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../src/provide_node.mjs')
const name = `node-${process.platform}-${process.arch}`

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'provide-node-'))
  mkdirSync(join(folder, 'src'))
  mkdirSync(join(folder, 'node_modules'))
  cpSync(script, join(folder, 'src/provide_node.mjs'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function install(node: string) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ engines: { node } }))
  return run(process.execPath, [join(folder, 'src/provide_node.mjs')])
}

const link = () => readlinkSync(join(folder, 'node_modules/.bin/node'))

function unpackNode() {
  mkdirSync(join(folder, 'node_modules', name, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'node_modules', name, 'bin/node'), '')
}

test('a Node that is new enough is left as it is, by what package.json asks for', async () => {
  unpackNode()
  expect(await install(project.engines.node)).toEqual({ stdout: '', stderr: '' })
  expect(link).toThrow('ENOENT')
})

test('an older one gets the link that npm 10 has taken away', async () => {
  unpackNode()
  expect(await install('>=99.0')).toEqual({ stdout: '', stderr: '' })
  expect(link()).toBe(`../${name}/bin/node`)
})

test('a link that is there is put right', async () => {
  unpackNode()
  mkdirSync(join(folder, 'node_modules/.bin'))
  symlinkSync('../elsewhere/node', join(folder, 'node_modules/.bin/node'))
  await install('>=99.0')
  expect(link()).toBe(`../${name}/bin/node`)
})

test('where no package brings a newer one, the install says what to do in one line', async () => {
  await expect(install('>=99.15')).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^supply-ordering needs Node\.js 99\.15 or newer: this is .*Install Node\.js from https:\/\/nodejs\.org and run npm ci again\.\n$/,
    ),
  })
})
