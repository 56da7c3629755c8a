import { type Breach, type Sql, well } from './scenario.ts'

const countOneMore = (sql: Sql) =>
  sql`update supply.result_marks set last_seq = last_seq + 1 where account_id = ${well.account}`

export const results: Breach[] = [
  {
    checks: ['account_counts_its_results', 'final_order_is_among_the_results'],
    about: 'account',
    by: (sql) => sql`
      delete from supply.order_results r using supply.result_marks m
      where m.account_id = ${well.account} and (r.account_id, r.seq) = (m.account_id, m.last_seq)`,
  },
  {
    checks: ['results_have_no_gap'],
    about: 'account',
    by: async (sql) => {
      await countOneMore(sql)
      await sql`
        update supply.order_results r set seq = r.seq + 1 from supply.result_marks m
        where m.account_id = ${well.account} and (r.account_id, r.seq) = (m.account_id, m.last_seq - 1)`
    },
  },
  {
    checks: ['result_is_a_final_order_of_the_account'],
    about: 'open',
    by: async (sql) => {
      await countOneMore(sql)
      await sql`
        insert into supply.order_results (account_id, seq, order_id)
        select m.account_id, m.last_seq, o.id from supply.result_marks m, supply.orders o
        where m.account_id = ${well.account} and o.code = ${well.open}`
    },
  },
]
