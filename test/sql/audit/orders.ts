import { products } from '../../support/partner.ts'
import { addKey, type Breach, setEvent, setLine, setOrder, well } from './scenario.ts'

export const orders: Breach[] = [
  {
    checks: ['final_order_has_no_open_line'],
    about: 'full',
    by: (sql) =>
      setLine(
        sql,
        well.fullLine,
        "status = 'processing', completed_at = null, claim_expires_at = now() + interval '1 minute'",
      ),
  },
  {
    checks: ['open_order_has_an_open_line'],
    about: 'open',
    by: (sql) => setLine(sql, well.openLine, "status = 'completed', completed_at = now()"),
  },
  {
    checks: ['outcome_agrees_with_the_lines'],
    about: 'full',
    by: (sql) => setOrder(sql, well.full, "status = 'failed', outcome = 'none'"),
  },
  {
    checks: ['outcome_agrees_with_the_lines'],
    about: 'partial',
    by: (sql) => setOrder(sql, well.partial, "outcome = 'none'"),
  },
  {
    checks: ['completed_key_line_has_its_keys'],
    about: 'keyLine',
    by: (sql) => sql`delete from supply.item_keys where item_id = ${well.keyLine} and position = 2`,
  },
  {
    checks: ['completed_key_line_has_its_keys'],
    about: 'keyLine',
    by: (sql) => addKey(sql, well.keyLine),
  },
  { checks: ['only_key_lines_have_keys'], about: 'fullLine', by: (sql) => addKey(sql, well.fullLine) },
  { checks: ['failed_line_has_no_keys'], about: 'restLine', by: (sql) => addKey(sql, well.restLine) },
  {
    checks: ['rest_of_a_line_belongs_to_a_delivered_part'],
    about: 'restLine',
    by: (sql) => setLine(sql, well.restLine, `product_id = ${products.dear}`),
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
]
