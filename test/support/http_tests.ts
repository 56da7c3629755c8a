import { beforeAll, beforeEach } from 'vitest'
import { testDatabase } from './database.ts'
import { makeCatalog, makePartner, type Partner, type PartnerOptions } from './partner.ts'
import { type Answer, type ApiOptions, testApi } from './service.ts'

type Headers = Record<string, string | string[]>

type Options = ApiOptions & {
  /** What the partner is like. */
  partner?: PartnerOptions
  /** Whether each test has a new partner, and not all of them the same. */
  each?: boolean
  /** The token of the supplier `first`. */
  token?: string
}

/** For a test file about routes: an API on a database with the small catalog, and a partner who asks it. */
export function httpTests({ partner: options = {}, each = false, token = 'token', ...ofApi }: Options = {}) {
  const database = testDatabase({ catalog: true })
  const sql = () => database.sql
  const api = testApi(() => database.url, ofApi)
  let present: Partner
  const newPartner = async () => {
    present = await makePartner(sql(), options)
  }

  beforeAll(async () => {
    await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token })
    if (!each) await newPartner()
  })
  if (each) beforeEach(newPartner)

  return {
    database,
    sql,
    api,
    partner: () => present,
    /** Asks with the key of the partner, or of another one. */
    get: (path: string, headers: Headers = {}, { key } = present): Promise<Answer> => api().get(path, { key, headers }),
    post: (path: string, body?: unknown, headers: Headers = {}, { key } = present): Promise<Answer> =>
      api().post(path, { key, body, headers }),
  }
}
