import { expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { leaseCalls, processing, record } from '../../support/items.ts'

const { sql, newItem, itemOf, jobsOf } = itemTests({ audited: true })

// What add_jobs does, in a race, with a keyed job that is being fetched at that very moment.
test('where the queue skips a job silently, nothing is recorded, and what is recorded later gets its job', async () => {
  const item = await newItem()
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('no call is due')
  await sql()`create function public.skip() returns trigger language plpgsql as 'begin return null; end'`
  await sql()`create trigger skip before insert on graphile_worker._private_jobs for each row execute function public.skip()`
  try {
    await expect(record(sql(), call, processing())).rejects.toMatchObject({ code: '40001' })
  } finally {
    await sql()`drop function public.skip cascade`
  }
  expect(await itemOf(item)).toMatchObject({ lease_token: call.lease_token, checks: 0 })
  expect(await record(sql(), call, processing())).toBe('waiting')
  expect(await jobsOf(item)).toHaveLength(1)
})

// The workers' connections commit asynchronously: a crash of the server loses the lock of a job that a worker runs.
test('a planned job outlives the end of the job before it, whose lock was lost in a crash', async () => {
  const item = await newItem()
  const [call] = await leaseCalls(sql(), [item])
  if (call === undefined) throw new Error('no call is due')
  await record(sql(), call, processing())
  const [before] = await jobsOf(item)
  await sql()`select core.enqueue('call_supplier', array[${item}]::uuid[], key => 'call_supplier')`
  // As the queue ends a job.
  await sql()`delete from graphile_worker._private_jobs where id = ${before?.id ?? null}`
  expect(await jobsOf(item)).toHaveLength(1)
})
