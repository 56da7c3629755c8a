import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAdapters } from '../../../src/suppliers/adapters.ts'
import { supplierCall } from '../supplier_call.ts'
import { type ScriptedSupplier, startScriptedSupplier } from './scripted_supplier.ts'

const adapters = createAdapters()
let supplier: ScriptedSupplier

beforeAll(async () => {
  supplier = await startScriptedSupplier()
})

afterAll(async () => {
  await adapters.close()
  await supplier.close()
})

async function ask(method: 'put' | 'get', reference: string) {
  const call = supplierCall({ baseUrl: supplier.url, token: supplier.token, reference })
  return adapters.adapterFor('http')?.[method](call)
}

describe('the scripted supplier', () => {
  it('follows the script of a reference, each method apart, and repeats the last answer', async () => {
    const completed = { status: 200, json: { status: 'completed' } }
    supplier.on('a', { put: ['reset', { status: 503 }], get: completed })
    expect(await ask('put', 'a')).toMatchObject({ outcome: 'unknown', httpStatus: null })
    expect(await ask('get', 'a')).toMatchObject({ status: 'completed' })
    expect(await ask('put', 'a')).toMatchObject({ httpStatus: 503 })
    expect(await ask('put', 'a')).toMatchObject({ httpStatus: 503 })
    expect(supplier.requestsFor('a').map((r) => `${r.method} ${r.nth}`)).toEqual([
      'PUT 1',
      'GET 1',
      'PUT 2',
      'PUT 3',
    ])
    expect(supplier.requestsFor('a', 'GET')).toHaveLength(1)
  })

  it('answers other references as set for all, and at first with processing', async () => {
    expect(await ask('put', 'b')).toMatchObject({ status: 'processing' })
    supplier.setAnswer(({ reference }) => ({ status: 200, json: { status: 'failed', reason: reference } }))
    expect(await ask('get', 'b')).toMatchObject({ status: 'failed', reason: 'b' })
  })

  it('waits for a request that comes, or has come, and not without end', async () => {
    const coming = supplier.waitForRequest((r) => r.reference === 'c')
    await ask('put', 'c')
    expect(await coming).toMatchObject({ method: 'PUT', body: { reference: 'c', sku: 'UC-60' } })
    expect(await supplier.waitForRequest((r) => r.reference === 'c')).toEqual(await coming)
    await expect(supplier.waitForRequest((r) => r.reference === 'd', 10)).rejects.toThrow('no such request')
  })
})
