import {
  type Breach,
  chargeOf,
  newest,
  refundOf,
  setAccount,
  setEntry,
  setItem,
  setOrder,
  well,
} from './scenario.ts'

export const money: Breach[] = [
  {
    checks: ['ledger_seq_has_no_gap'],
    about: 'account',
    by: async (sql) => {
      await setEntry(sql, newest, 'seq = seq + 1')
      await setAccount(sql, 'last_seq', 'last_seq + 1')
    },
  },
  {
    checks: ['account_counts_its_ledger'],
    about: 'account',
    by: (sql) => setAccount(sql, 'last_seq', 'last_seq + 1'),
  },
  {
    checks: ['ledger_adds_up', 'ledger_adds_up'],
    about: 'account',
    by: (sql) => setEntry(sql, '2', 'balance_after = balance_after + 1'),
  },
  {
    checks: ['balance_is_the_last_in_the_ledger', 'ledger_adds_up'],
    about: 'account',
    by: (sql) => setEntry(sql, newest, 'balance_after = balance_after + 1'),
  },
  {
    checks: ['balance_is_the_sum_of_the_ledger', 'ledger_adds_up'],
    about: 'account',
    by: (sql) => setEntry(sql, '1', 'amount = amount + 1'),
  },
  {
    checks: ['balance_is_the_last_in_the_ledger', 'balance_is_the_sum_of_the_ledger'],
    about: 'account',
    by: (sql) => setAccount(sql, 'balance', 'balance + 0.01'),
  },
  {
    checks: ['ledger_is_in_the_accounts_currency'],
    about: 'account',
    by: (sql) => setEntry(sql, '1', "currency = 'USD'"),
  },
  {
    checks: ['order_is_charged'],
    about: 'open',
    by: (sql) =>
      setEntry(
        sql,
        chargeOf(well.open),
        "type = 'adjustment', order_id = null, reference = 'x', plain_reference = 'x'",
      ),
  },
  {
    checks: ['charge_is_the_orders_total'],
    about: 'open',
    by: (sql) => setOrder(sql, well.open, "payment_code = 'pay_other'"),
  },
  {
    checks: ['total_is_the_sum_of_the_items'],
    about: 'open',
    by: (sql) => setItem(sql, well.openItem, 'price = price + 0.01'),
  },
  {
    checks: ['failed_item_is_refunded'],
    about: 'noneItem',
    by: async (sql) => {
      const deposit =
        "type = 'deposit', item_id = null, order_id = null, reference = 'x', plain_reference = 'x'"
      await setEntry(sql, refundOf(well.noneItem), deposit)
      await setItem(sql, well.noneItem, 'refunded_amount = 0')
      await setOrder(sql, well.none, 'refunded_amount = 0')
    },
  },
  {
    checks: ['item_knows_its_refund', 'refund_has_its_reason'],
    about: 'noneItem',
    by: async (sql) => {
      await setItem(sql, well.noneItem, "status = 'completed', refunded_amount = 0")
      await setOrder(sql, well.none, "status = 'completed', outcome = 'full'")
    },
  },
  {
    checks: ['refund_is_the_items_price'],
    about: 'noneItem',
    by: async (sql) => {
      const other = `order_id = (select id from supply.orders where code = '${well.open}')`
      await setEntry(sql, refundOf(well.noneItem), other)
      await setOrder(sql, well.none, 'refunded_amount = 0')
      await setOrder(sql, well.open, 'refunded_amount = 10.50')
    },
  },
  {
    checks: ['item_knows_its_refund'],
    about: 'noneItem',
    by: (sql) => setItem(sql, well.noneItem, 'refunded_amount = 0'),
  },
  {
    checks: ['order_knows_its_refunds'],
    about: 'none',
    by: (sql) => setOrder(sql, well.none, 'refunded_amount = 10.49'),
  },
  {
    checks: ['refund_by_hand_is_within_the_items_price'],
    about: 'openItem',
    by: (sql) => setEntry(sql, '1', `type = 'adjustment', item_id = '${well.openItem}'`),
  },
]
