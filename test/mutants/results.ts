import type { Mutant } from './mutant.ts'

const numbers = 'test/sql/results/number_results.test.ts'
const numberResults = 'db/functions/core/orders/number_results.sql'

/** The sequence in which partners read results. */
export const results: Mutant[] = [
  {
    name: 'number no results',
    breaks: 'An order that ends gets the next number of its account.',
    file: 'db/functions/core/orders/finish_orders.sql',
    find: 'perform core.number_results(ended, accounts);',
    replace: '',
    tests: [numbers],
  },
  {
    name: 'give numbers that another transaction gives',
    breaks: 'Numbers are given under the lock of the account’s mark, which is held to the commit.',
    file: numberResults,
    find: ' order by m.account_id for no key update skip locked',
    replace: '',
    tests: ['test/sql/results/concurrent_ends.test.ts'],
  },
  {
    name: 'forget what ended without a number',
    breaks: 'What could not get a number at its end gets it later.',
    file: numberResults,
    find: 'where e.account_id = any (unnumbered);',
    replace: 'where false;',
    tests: [numbers],
  },
  {
    name: 'give numbers again after a restore',
    breaks: 'A number that may have been read before a restore stands for no other order after it.',
    file: 'db/functions/ops/recovery/begin_recovery.sql',
    find: 'perform core.skip_results();',
    replace: '',
    tests: [numbers],
  },
  {
    name: 'show results to a revoked key',
    breaks: 'A request that waited shows nothing to a key that does not work any more.',
    file: 'db/functions/api/results/list_results.sql',
    find: 'not core.api_key_is_valid(key_id, account_id)',
    replace: 'false',
    tests: [numbers],
  },
]
