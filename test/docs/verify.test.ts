import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verify as verifyInTypeScript } from '../../docs/verify/verify.ts'
import { signature, verify } from '../../src/messages/sign.ts'
import { presentLanguages, tellOfAbsentLanguages } from './languages.ts'

const folder = join(import.meta.dirname, '../../docs/verify')
const vectorsFile = join(folder, 'vectors.tsv')

type Vector = {
  name: string
  expected: string
  now: number
  secret: string
  timestamp: string | undefined
  signature: string | undefined
  body: Buffer
}

const lines = readFileSync(vectorsFile, 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

const vectors = lines.map((line): Vector => {
  const [name = '', expected = '', now, secret = '', timestamp, signature, body = ''] = line.split('\t')
  return {
    name,
    expected,
    now: Number(now),
    secret,
    timestamp: timestamp || undefined,
    signature: signature || undefined,
    body: Buffer.from(body, 'base64'),
  }
})

const present = presentLanguages.flatMap(({ name, verify }) =>
  verify === undefined ? [] : [{ name, command: verify }],
)

function run([program = '', ...args]: string[]) {
  return spawnSync(program, args, { cwd: folder, encoding: 'utf8', timeout: 150_000 })
}

describe('the vectors', () => {
  it('say by their names which are good and which are bad', () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length)
    expect(new Set(vectors.map(({ expected }) => expected))).toEqual(new Set(['valid', 'invalid']))
  })

  it.each(vectors)('are judged alike by the service and by the TypeScript of the guide: $name', (vector) => {
    const { secret, timestamp, signature, body, now } = vector
    const expected = vector.expected === 'valid'
    expect(verify({ secret, timestamp, signature, body, now: new Date(now * 1000) })).toBe(expected)
    expect(verifyInTypeScript(secret, timestamp, signature, body, now)).toBe(expected)
  })

  it.each(vectors.filter(({ expected }) => expected === 'valid'))('hold what the service sends: $name', (vector) => {
    expect(signature(vector.secret, vector.timestamp ?? '', vector.body)).toBe(vector.signature)
  })
})

describe('the TypeScript of the guide', () => {
  it('takes the present time unless told another', () => {
    const secret = 'f'.repeat(64)
    const body = Buffer.from('{}')
    const accepts = (secondsAgo: number) => {
      const timestamp = String(Math.floor(Date.now() / 1000) - secondsAgo)
      return verifyInTypeScript(secret, timestamp, signature(secret, timestamp, body), body)
    }
    expect(accepts(0)).toBe(true)
    expect(accepts(310)).toBe(false)
  })
})

describe('the verification in', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'vectors-'))
  const flipped = join(scratch, 'flipped.tsv')
  const flips: { [expected: string]: string } = { '\tvalid\t': '\tinvalid\t', '\tinvalid\t': '\tvalid\t' }

  beforeAll(() => {
    const texts = lines.map((line) => line.replace(/\tinvalid\t|\tvalid\t/, (expected) => flips[expected] ?? expected))
    writeFileSync(flipped, texts.join('\n'))
    tellOfAbsentLanguages('the verification')
  })
  afterAll(() => rmSync(scratch, { recursive: true, force: true }))

  describe.each(present)('$name', ({ command }) => {
    it('judges every vector right', { timeout: 180_000 }, () => {
      const { status, stdout, stderr } = run([...command, vectorsFile])
      expect({ status, stdout, stderr }).toEqual({
        status: 0,
        stdout: `${vectors.length} vectors, 0 wrong\n`,
        stderr: '',
      })
    })

    it('fails when vectors say otherwise, and names each', { timeout: 180_000 }, () => {
      const { status, stdout, stderr } = run([...command, flipped])
      expect(status).not.toBe(0)
      expect(stdout).toBe(`${vectors.length} vectors, ${vectors.length} wrong\n`)
      for (const { name } of vectors) expect(stderr).toContain(`${name}: `)
    })
  })
})
