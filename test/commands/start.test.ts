import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { release } from '../../src/release.ts'
import { serverPid } from '../embedded_postgres/support.ts'
import { testDatabase } from '../support/database.ts'
import { addressOf, copyCheckout, type ServiceProcess, startProcess } from '../support/servers/service_process.ts'

const checkout = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const { PATH, NODE_COMPILE_CACHE } = process.env
const inherited = { PATH, NODE_COMPILE_CACHE }
const brief = { PORT: '0', DRAIN_SECONDS: '0' }

async function statusOf(url: string): Promise<number> {
  const { statusCode, body } = await request(url)
  await body.dump()
  return statusCode
}

describe('npm start', () => {
  const folder = copyCheckout()
  let service: ServiceProcess
  let url = ''
  let key = ''

  beforeAll(async () => {
    service = startProcess('start', brief, folder)
    url = await addressOf(service)
    key = (await service.says(/svc_test_[0-9a-f]{48}/))[0]
  })
  afterAll(async () => {
    await service.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('brings up the whole service on a database of its own', async () => {
    expect(await statusOf(`${url}/readyz`)).toBe(200)
    expect(readFileSync(join(folder, '.data/demo-key'), 'utf8').trim()).toBe(key)
  })

  test('opens the partner guide with the password that it prints, and without one to nobody', async () => {
    const [, password = ''] = /\/docs, any user name, password (\S+)$/m.exec(service.output()) ?? []
    expect(await statusOf(`${url}/docs`)).toBe(401)
    const authorization = `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
    const { statusCode, body } = await request(`${url}/docs`, { headers: { authorization } })
    await body.dump()
    expect(statusCode).toBe(200)
  })

  test('says where a receiver finds the signing secret, before anything was delivered', async () => {
    const [, file = ''] = /signed with the secret in (\S+)\.$/m.exec(service.output()) ?? []
    expect(file).toBe(join(folder, '.data/demo-webhook-secret'))
    expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
  })

  test('prints a curl that places an order as it stands', async () => {
    await service.says(/and read it with/)
    const command = /^ {2}(curl .*\n.*-d .*)$/m.exec(service.output())?.[1] ?? ''
    const [, address, sentKey, body = ''] = /^curl -s (\S+) -H 'X-Api-Key: (\S+)' .*\n\s+-d '(.*)'$/.exec(command) ?? []
    expect([address, sentKey]).toEqual([`${url}/b2b/orders`, key])
    const answer = await request(`${address}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: body.replace("'$(date +%s)'", '1'),
    })
    expect(answer.statusCode).toBe(201)
    await answer.body.dump()
    // Into a pipe the log is JSON.
    await service.says(/^\{.*"route":"\/b2b\/orders","status":201.*"msg":"request"\}$/m)
  })

  test('takes the first order of the README as it stands there', async () => {
    const [, command = ''] = /^```sh\n(curl .*?)```$/ms.exec(readFileSync(join(checkout, 'README.md'), 'utf8')) ?? []
    const { stdout } = await run('bash', ['-c', command.replace('http://127.0.0.1:3000', url)], { cwd: folder })
    expect(JSON.parse(stdout)).toMatchObject({ success: true, data: { status: 'processing', totalAmount: 89 } })
  })

  test('is what npm run demo orders from, and shows the signed webhooks of', async () => {
    const { stdout } = await run(process.execPath, ['src/main.ts', 'demo'], {
      cwd: folder,
      env: { ...inherited, PUBLIC_URL: url },
    })
    expect(stdout.match(/order\.completed .* verified /g)).toHaveLength(3)
    expect(stdout.match(/order\.failed .* verified /g)).toHaveLength(1)
    expect(stdout).not.toContain('REJECTED')
    expect(stdout).toMatch(/sent to demo .*demo cannot deliver it .*so demo-reserve gets it/)
    expect(stdout).toMatch(/sent to demo-reserve /)
    expect(stdout).toMatch(/item completed .*2 × Frost Kingdoms: Deep Ice; codes delivered: 2/)
  })

  test('prints the settings that npm run demo needs, which says at once where nothing answers', async () => {
    await service.says(new RegExp(`arriving: PORT=${new URL(url).port} npm run demo,`))
    const lost = run(process.execPath, ['src/main.ts', 'demo'], { cwd: folder, env: { ...inherited, PORT: '2' } })
    await expect(lost).rejects.toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(
        /^cannot demo: no service answers at http:..127.0.0.1:2: .*ECONNREFUSED.*; PORT .*\n$/,
      ),
    })
  })

  test('is where npm run receiver finds the secret of the demo partner', async () => {
    const receiver = spawn(process.execPath, ['src/main.ts', 'receiver', '--demo', '--port', '0'], {
      cwd: folder,
      env: inherited,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [greeting] = await once(receiver.stdout, 'data')
    receiver.kill('SIGTERM')
    expect(String(greeting)).toContain('Signatures are verified')
    await once(receiver, 'exit')
  })

  test('offers a login to operators, under which its own demo acts', async () => {
    await service.says(/PGSERVICEFILE=\S+pg_service\.conf psql service=operator\n/)
    for (const [name, user] of [
      ['operator', 'supply_operator_login'],
      ['owner', 'postgres'],
    ]) {
      const services = join(folder, '.data/pg_service.conf')
      expect(statSync(services).mode & 0o777).toBe(0o600)
      const args = [`service=${name}`, '-Atc', 'select session_user']
      const { stdout } = await run('psql', args, { env: { PATH: process.env.PATH, PGSERVICEFILE: services } })
      expect(stdout).toBe(`${user}\n`)
    }
    const file = join(folder, '.data/operator-url')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const operator = postgres(readFileSync(file, 'utf8').trim(), { max: 1, onnotice: () => {} })
    try {
      const who = await operator`select distinct who from ops.operator_log`
      expect([...who]).toEqual([{ who: 'supply_operator_login' }])
      await expect(operator`select from supply.orders`).rejects.toThrow('permission denied')
      await expect(operator`select ops.add_operator('anna')`).rejects.toThrow('permission denied')
    } finally {
      await operator.end({ timeout: 1 })
    }
  })

  test('a second start on the same data reports the running service and changes nothing', async () => {
    const second = run(process.execPath, ['src/main.ts', 'start'], { cwd: folder, env: { ...inherited, PORT: '0' } })
    const holder = `npm start, process ${service.pid}, ${url}`
    await expect(second).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^[^\n]*\.data is in use by [^\n]*: end that first, or set DATABASE_URL [^\n]*\n$/),
    })
    await expect(second).rejects.toMatchObject({ stderr: expect.stringContaining(holder) })
    expect(await statusOf(`${url}/readyz`)).toBe(200)
    expect(existsSync(join(folder, '.data/operator-url'))).toBe(true)
  })

  test('ends in order when told to, twice too, and finds its data at the next start', async () => {
    service.signal('SIGTERM')
    expect(await service.end()).toBe(0)
    await expect(statusOf(`${url}/livez`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(existsSync(join(folder, '.data/url'))).toBe(false)
    for (const file of ['operator-url', 'pg_service.conf']) expect(existsSync(join(folder, '.data', file))).toBe(false)

    service = startProcess('start', brief, folder)
    url = await addressOf(service)
    expect((await service.says(/svc_test_[0-9a-f]{48}/))[0]).toBe(key)
    const { statusCode, body } = await request(`${url}/b2b/orders`, { headers: { 'x-api-key': key } })
    expect(statusCode).toBe(200)
    expect(await body.json()).toMatchObject({ data: { orders: { length: 6 } } })
  })

  test('ends with one line when its database was killed', async () => {
    await service.says(/psql service=owner .*\n\n/)
    const before = service.output().length
    const args = ['service=owner', '-Atc', 'show data_directory']
    const env = { PATH: process.env.PATH, PGSERVICEFILE: join(folder, '.data/pg_service.conf') }
    const { stdout: cluster } = await run('psql', args, { env })
    process.kill(serverPid({ dataDir: dirname(cluster.trim()) }), 'SIGKILL')
    expect((await service.ended).code).toBe(1)
    expect(service.output().slice(before)).toMatch(
      /^(\{"level":"info".*\n)*\{"level":"error",.*\.data has ended: .*postgres\.log may say why; start this again"\}\n$/,
    )
  })
})

describe('the parts in processes of their own', () => {
  const database = testDatabase({ empty: true })
  const settings = () => ({ DATABASE_URL: database.url })

  test('npm run migrate brings a database up to date, and has nothing to do then', async () => {
    const migrate = () =>
      run(process.execPath, ['src/main.ts', 'migrate'], { cwd: checkout, env: { ...inherited, ...settings() } })
    await migrate()
    expect((await migrate()).stdout).toBe(`the database is already of release ${release}\n`)
  })

  test('npm run supplier says where it is, and exits with 0 when told to end', async () => {
    const supplier = startProcess('supplier', brief)
    const [, url = ''] = await supplier.says(/^supplier ready: (http:\S+)/m)
    expect(await statusOf(`${url}/orders/1`)).toBe(401)
    expect(await supplier.end()).toBe(0)
  })

  test('every script that runs long takes the place of its shell, so that signals reach it', () => {
    const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    for (const name of ['start', 'migrate', 'api', 'worker', 'supplier', 'demo', 'receiver'])
      expect(scripts[name]).toMatch(new RegExp(`^exec node( --[a-z-]+=\\d+)* src/main[.]ts ${name}$`))
  })

  test('a start with a wrong setting says so in one line', async () => {
    const wrong = run(process.execPath, ['src/main.ts', 'api'], { cwd: checkout, env: { ...inherited, PORT: 'many' } })
    const line = 'PORT must be a whole number from 0 to 65535\n'
    await expect(wrong).rejects.toMatchObject({ code: 1, stderr: line, stdout: '' })
  })
})
