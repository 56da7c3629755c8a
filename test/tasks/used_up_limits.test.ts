import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { audit, place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { testApi } from '../support/service.ts'

// A limit of the server that is used up, such as its queue of notifications, has an SQLSTATE of class 54.
const database = testDatabase({ catalog: true })
const sql = () => database.sql
const api = testApi(() => database.url)
let deliveries: Deliveries
let partner: Partner

beforeAll(async () => {
  deliveries = await startDeliveries(database)
  partner = await makePartner(sql(), { balance: 1000 })
  await sql().unsafe(`
    create table public.failed_jobs (error text);
    grant insert on public.failed_jobs to public;
    create function public.note_failed() returns trigger language plpgsql as $$
    begin
      insert into public.failed_jobs values (new.last_error);
      return new;
    end $$;
    create trigger note_failed after update on graphile_worker._private_jobs
    for each row when (new.last_error is not null) execute function public.note_failed();
    create function public.refuse_some() returns trigger language plpgsql security definer as $$
    begin
      if nextval(tg_argv[0]) < 5 then
        raise exception 'too many notifications in the NOTIFY queue' using errcode = '54000';
      end if;
      return new;
    end $$;`)
})
afterAll(() => deliveries.close())

/** Has the first four inserts into a table fail. */
async function refuseFour(table: string): Promise<void> {
  await sql().unsafe(`
    create sequence public.refused_${table};
    create trigger refuse_some before insert on supply.${table}
    for each row execute function public.refuse_some('public.refused_${table}')`)
}

test('calls and deliveries that meet it are tried again without a failed job', async () => {
  await refuseFour('supplier_attempts')
  await refuseFour('delivery_attempts')
  const { body } = await place(sql(), partner, { callbackUrl: deliveries.receiver.url })
  const [sample] = await sql()`select ops.send_test_event(${partner.accountId}, ${deliveries.receiver.url}) as id`
  await expect
    .poll(
      () =>
        sql()`select from ops.events where state = 'delivered' and (order_code = ${body.code} or event_id = ${sample?.id})`,
    )
    .toHaveLength(2)
  expect(await sql()`select * from public.failed_jobs`).toEqual([])
  expect(await audit(sql())).toEqual([])
})

test('an order that meets it is answered 503 with Retry-After, and its repeat is placed', async () => {
  await refuseFour('orders')
  const body = { externalOrderId: 'limits', items: [{ productId: 102, quantity: 1 }] }
  const answers = [1, 2, 3].map(() => () => api().post('/b2b/orders', { key: partner.key, body }))
  const statuses: number[] = []
  for (const answer of answers) {
    const { status, headers, json } = await answer()
    statuses.push(status)
    if (status === 503) expect(headers['retry-after']).toMatch(/^[1-9]/)
    else expect(json.data.totalAmount).toBeGreaterThan(0)
  }
  expect(statuses).toEqual([503, 503, 201])
})
