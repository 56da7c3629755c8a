import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { startWholeService, type WholeService } from '../support/whole_service.ts'
import { startBadNetwork } from './bad_network.ts'
import {
  environment,
  type Language,
  makeReady,
  presentLanguages,
  tellOfAbsentLanguages,
  twoAtATime,
} from './languages.ts'

const database = testDatabase({ catalog: true })
const scratch = mkdtempSync(join(tmpdir(), 'programs-'))
const inTurn = twoAtATime()
let service: WholeService

beforeAll(async () => {
  tellOfAbsentLanguages('the first order')
  service = await startWholeService(database)
  service.supplier.setAnswer(({ body }) => {
    const { sku } = Object(body)
    if (sku === `sku-${products.expensive}`)
      return { status: 200, json: { status: 'failed', errorCode: 'PLAYER_NOT_FOUND' } }
    return { status: 200, json: { status: 'completed', codes: sku === `sku-${products.key}` ? ['AAAAA-BBBBB'] : [] } }
  })
  const ready = presentLanguages.map(({ name, firstOrder }) => inTurn(() => makeReady(firstOrder, join(scratch, name))))
  await Promise.all(ready)
})
afterAll(async () => {
  await service.close()
  rmSync(scratch, { recursive: true, force: true })
})

type Ended = { status: number; stdout: string; stderr: string }
type Settings = { apiKey: string; baseUrl?: string; callbackUrl?: string }

/** Runs a language's program as its page says. */
function runProgram(language: Language, args: string[], settings: Settings): Promise<Ended> {
  const { apiKey, baseUrl = service.api.url, callbackUrl } = settings
  const [program = '', ...before] = language.firstOrder.command
  const env = { ...environment, BASE_URL: baseUrl, API_KEY: apiKey, CALLBACK_URL: callbackUrl }
  return new Promise((resolve) => {
    const options = { cwd: join(scratch, language.name), env, timeout: 100_000 }
    const child = execFile(program, [...before, ...args], options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const codeIn = ({ stdout, stderr }: Ended) => /ord_[0-9a-f]{32}/.exec(stdout + stderr)?.[0]

/** How many orders an account has, and how many charges. */
async function booked(accountId: number) {
  const [row] = await database.sql`
    select (select count(*) from supply.orders where account_id = ${accountId})::int as orders,
      (select count(*) from supply.ledger where account_id = ${accountId} and amount < 0)::int as charges`
  return row
}

// Java first: it takes longest.
describe.concurrent.each(presentLanguages.toReversed())('the first order in $name', (language) => {
  // The others mostly wait.
  const run = (args: string[], settings: Settings) =>
    language.name === 'Java' ? inTurn(() => runProgram(language, args, settings)) : runProgram(language, args, settings)

  it('is placed, and the program prints its result', async () => {
    const { key, accountId } = await service.partner()
    const ended = await run(['shop-1'], { apiKey: key, callbackUrl: 'http://127.0.0.1:9/hook?a=1&b=2' })
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stdout).toMatch(/completed/)
    expect(ended.stdout).toMatch(/100 credits/)
    expect(ended.stdout).toMatch(/\b10\.50\b/)
    const order = await service.read({ key, accountId, keyId: 0 }, codeIn(ended) ?? '')
    expect(order).toMatchObject({ externalOrderId: 'shop-1', callbackUrl: 'http://127.0.0.1:9/hook?a=1&b=2' })
  })

  it('survives a 503 and a lost answer, and gives the codes', async () => {
    const { key, accountId } = await service.partner()
    const network = await startBadNetwork(() => service.api.url)
    network.meet('503')
    network.meet('reset')
    const args = ['shop-2', String(products.key)]
    const ended = await run(args, { apiKey: key, baseUrl: network.url })
    expect(ended).toMatchObject({ status: 0 })
    expect(ended.stdout).toContain('AAAAA-BBBBB')
    expect(ended.stderr).not.toContain('AAAAA-BBBBB')
    const [first, second, third] = network.posts
    expect(network.posts.length).toBe(3)
    expect([second?.body, third?.body]).toEqual([first?.body, first?.body])
    // A timer of a millisecond may come a little early.
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(990)
    expect(await booked(accountId)).toEqual({ orders: 1, charges: 1 })

    const again = await run(args, { apiKey: key })
    expect(again).toMatchObject({ status: 0 })
    expect(codeIn(again)).toBe(codeIn(ended))
    expect(await booked(accountId)).toEqual({ orders: 1, charges: 1 })
    await network.close()
  })

  it('says why it was refused, and by which id', async () => {
    const { key, accountId } = await service.partner({ balance: 0 })
    const ended = await run(['shop-3'], { apiKey: key })
    expect(ended.status).toBe(1)
    expect(ended.stderr).toMatch(/^refused: HTTP 402, request [\w.-]{8,}: .*"INSUFFICIENT_BALANCE"/)
    expect(ended.stderr).toContain('Insufficient balance')
    expect(ended.stderr).not.toContain(key)
    expect(ended.stdout).toBe('')
    expect(await booked(accountId)).toEqual({ orders: 0, charges: 0 })
  })

  it('tells a failed order by its status', async () => {
    const { key } = await service.partner({ balance: 500 })
    const ended = await run(['shop-4', String(products.expensive)], { apiKey: key })
    expect(ended.status).toBe(1)
    expect(ended.stdout).toMatch(/failed/)
    expect(ended.stdout).toContain('PLAYER_NOT_FOUND')
  })
})
