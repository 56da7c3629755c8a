import { products } from '../../support/partner.ts'
import { addKey, type Breach, setEvent, setItem, setOrder, well } from './scenario.ts'

export const orders: Breach[] = [
  {
    checks: ['final_order_has_no_open_item'],
    about: 'full',
    by: (sql) =>
      setItem(
        sql,
        well.fullItem,
        "status = 'processing', completed_at = null, lease_expires_at = now() + interval '1 minute'",
      ),
  },
  {
    checks: ['open_order_has_an_open_item'],
    about: 'open',
    by: (sql) => setItem(sql, well.openItem, "status = 'completed', completed_at = now()"),
  },
  {
    checks: ['outcome_agrees_with_the_items'],
    about: 'full',
    by: (sql) => setOrder(sql, well.full, "status = 'failed', outcome = 'none'"),
  },
  {
    checks: ['outcome_agrees_with_the_items'],
    about: 'partial',
    by: (sql) => setOrder(sql, well.partial, "outcome = 'none'"),
  },
  {
    checks: ['completed_key_item_has_its_codes'],
    about: 'keyItem',
    by: (sql) => sql`delete from supply.item_keys where item_id = ${well.keyItem} and position = 2`,
  },
  {
    checks: ['completed_key_item_has_its_codes'],
    about: 'keyItem',
    by: (sql) => addKey(sql, well.keyItem),
  },
  { checks: ['only_key_items_have_codes'], about: 'fullItem', by: (sql) => addKey(sql, well.fullItem) },
  { checks: ['failed_item_has_no_codes'], about: 'restItem', by: (sql) => addKey(sql, well.restItem) },
  {
    checks: ['rest_of_an_item_belongs_to_a_delivered_part'],
    about: 'restItem',
    by: (sql) => setItem(sql, well.restItem, `product_id = ${products.expensive}`),
  },
  {
    checks: ['order_with_an_outcome_to_tell_has_its_event'],
    about: 'told',
    by: (sql) => sql`delete from supply.events where id = ${well.waiting}`,
  },
  {
    checks: ['event_has_its_order'],
    about: 'waiting',
    by: (sql) => setOrder(sql, well.told, 'callback_url = null'),
  },
  {
    checks: ['event_has_its_order'],
    about: 'waiting',
    by: (sql) => setEvent(sql, well.waiting, "event_type = 'order.failed'"),
  },
  {
    checks: ['orders_are_numbered_without_a_gap'],
    about: 'account',
    by: (sql) => sql`
      update supply.orders set number = number + 1 where number = (
        select max(number) from supply.orders where account_id = ${well.account})`,
  },
]
