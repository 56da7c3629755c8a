import { describe, expect, test } from 'vitest'
import { collectAlerts } from '../../support/alerts.ts'
import { answered, leaseAttempt } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, leaseCalls, processing, unknown } from '../../support/items.ts'
import { audit } from '../../support/orders.ts'
import { oneValue } from '../../support/sql/one_value.ts'

// States that no known fault leaves, and in which no worker would ever look at an item, an event or an alert again.
const { sql, newItem, newEvent, attempt, attemptsOf, jobsOf, loseJobs } = itemTests({ audited: true })

async function askedItem(): Promise<string> {
  const item = await newItem()
  await answer(sql(), item, processing())
  return item
}

async function newAlert(): Promise<string> {
  await sql()`
    select core.raise_alerts(array[row('audit', 'check ' || gen_random_uuid(), null, 'a message')::supply.occurrence])`
  await collectAlerts(sql())
  return oneValue(sql()`select id from supply.alerts order by first_at desc limit 1`)
}

const setItem = (id: string, change: string) =>
  sql().unsafe(`update supply.order_items set ${change} where id = '${id}'`)
const setEvent = (id: string, change: string) => sql().unsafe(`update supply.events set ${change} where id = '${id}'`)
const setJob = (subject: string, change: string) =>
  sql().unsafe(`update graphile_worker._private_jobs set ${change} where payload ->> 'id' = '${subject}'`)

/** Of each job of a subject, whether a worker may take it now. */
const available = async (subject: string) =>
  (await jobsOf(subject)).map(({ is_available, wait }) => is_available && wait <= 0)

/** Returns how many jobs it makes. */
const resume = () => oneValue<number>(sql()`select work.resume_forgotten()`)

const overdue = "next_check_at = now() - interval '31 s'"
const tomorrow = "run_at = now() + interval '1 day'"

describe('resume_forgotten gives a job to', () => {
  test.each<[string, (item: string) => Promise<unknown>]>([
    ['whose job is lost', (item) => loseJobs(item).then(() => setItem(item, overdue))],
    ['whose job is for tomorrow', (item) => setJob(item, tomorrow).then(() => setItem(item, overdue))],
    ['that has no plan', (item) => loseJobs(item).then(() => setItem(item, 'next_check_at = null'))],
    [
      'whose lease ended and whose job is lost',
      (item) => leaseCalls(sql(), [item]).then(() => setItem(item, "lease_expires_at = now() - interval '91 s'")),
    ],
  ])('an item %s, and its supplier is asked before it is sent', async (_, breach) => {
    const item = await askedItem()
    await breach(item)
    expect(await audit(sql())).not.toEqual([])
    expect(await resume()).toBe(1)
    expect(await available(item)).toEqual([true])
    expect(await audit(sql())).toEqual([])
    expect(await sql()`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'get' }])
    expect(await resume()).toBe(0)
  })

  test('an item whose first call was lost, and its supplier is asked before it is sent', async () => {
    const item = await newItem()
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'put' }])
    await setItem(item, "lease_expires_at = now() - interval '91 s'")
    expect(await resume()).toBe(1)
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'get' }])
  })

  test('an alert without one', async () => {
    const alert = await newAlert()
    await sql()`update supply.alerts set last_at = now() - interval '31 s' where id = ${alert}`
    await loseJobs(alert)
    expect(await audit(sql())).not.toEqual([])
    expect([await resume(), await resume()]).toEqual([1, 0])
    expect(await available(alert)).toEqual([true])
  })

  test('no item whose job is due, has a worker, or waits after a failure', async () => {
    const [first, later, running, failed] = [
      ...[await newItem(), await askedItem()],
      ...[await askedItem(), await askedItem()],
    ] as const
    await setJob(later, 'run_at = now()')
    await setJob(running, "run_at = now(), locked_by = 'pool-1', locked_at = now(), attempts = 1")
    await setJob(failed, "run_at = now() + interval '1 hour', attempts = 9, last_error = 'boom'")
    for (const item of [first, later, running, failed]) await setItem(item, overdue)
    expect(await resume()).toBe(0)
    expect(await Promise.all([first, later, running, failed].map(available))).toEqual([
      ...[[true], [true], [false], [false]],
    ])
  })

  test('no item that an operator holds back', async () => {
    const item = await askedItem()
    await loseJobs(item)
    await setItem(item, "held_at = now(), held_reason = 'odd', next_check_at = null")
    expect(await resume()).toBe(0)
    await setItem(item, 'held_at = null, held_reason = null')
    expect(await resume()).toBe(1)
  })
})

describe('fill_slots goes on with an event whose job is for tomorrow', () => {
  const state = async (id: string) => {
    const [event] = await sql()`
      select state, attempts, next_attempt_at - now() < interval '1 minute' as soon from supply.events where id = ${id}`
    return event
  }
  const fill = () => sql()`select work.fill_slots()`

  test('and whose lease ended: the next rung is counted from the end of the lease', async () => {
    const event = await newEvent()
    await leaseAttempt(sql(), event)
    await setEvent(event, "lease_expires_at = now() - interval '51 s'")
    await sql()`select core.enqueue('deliver_waiting', ${[event]}, array[now() + interval '1 day'], 'deliver_webhook')`
    await fill()
    expect(await state(event)).toEqual({ state: 'waiting', attempts: 1, soon: true })
    expect(await attemptsOf(event)).toMatchObject([{ outcome: 'lost' }])
  })

  test.each([
    [
      'whose rung is due',
      async (event: string) => {
        await attempt(event, answered(500))
        await setEvent(event, "next_attempt_at = now() - interval '31 s'")
      },
    ],
    ['which has a slot', (event: string) => setEvent(event, "lease_expires_at = now() - interval '51 s'")],
  ])('and %s', async (_, prepare) => {
    const event = await newEvent()
    await prepare(event)
    await setJob(event, tomorrow)
    expect(await audit(sql())).not.toEqual([])
    await fill()
    expect(await state(event)).toMatchObject({ state: 'ready' })
    expect(await available(event)).toEqual([true])
  })

  test('but not while its worker may still record the result', async () => {
    const event = await newEvent()
    await leaseAttempt(sql(), event)
    await setEvent(event, "lease_expires_at = now() - interval '20 s'")
    await fill()
    expect(await state(event)).toMatchObject({ state: 'sending', attempts: 1 })
    await setEvent(event, "lease_expires_at = now() + interval '20 s'")
  })
})

describe('a job at its last attempt without a worker, which the queue would never take again,', () => {
  const useUp = (subject: string) =>
    sql()`update graphile_worker._private_jobs set attempts = max_attempts where payload ->> 'id' = ${subject}`

  /** Adds a used-up job beside the one that a subject has. */
  const addSuperseded = (subject: string) =>
    sql()`with added as (
        select id from graphile_worker.add_job('call_supplier'::text, json_build_object('id', ${subject}::text)))
      select graphile_worker.reschedule_jobs(array(select id from added), attempts => 25) from added`

  const sweep = () => oneValue<number>(sql()`select work.sweep()`)

  test('is replaced by the sweep, for an item, an event and an alert', async () => {
    const later = await newItem()
    await answer(sql(), later, unknown())
    for (const subject of [await newItem(), later, await newEvent(), await newAlert()]) {
      await useUp(subject)
      expect(await sweep()).toBe(1)
      expect(await jobsOf(subject)).toMatchObject([{ is_available: true }])
      expect((await jobsOf(subject))[0]?.wait).toBeLessThanOrEqual(300)
    }
    expect(await sweep()).toBe(0)
  })

  test.each([
    ['a later job took its place', unknown(), 1],
    ['nothing is left to do', completed(), 0],
  ])('is removed by the sweep when %s', async (_, result, left) => {
    const item = await newItem()
    await answer(sql(), item, result)
    const before = await jobsOf(item)
    expect(before).toHaveLength(left)
    await addSuperseded(item)
    expect(await sweep()).toBe(1)
    expect((await jobsOf(item)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })
})
