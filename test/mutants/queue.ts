import type { Mutant } from './mutant.ts'

const sweeps = 'test/sql/queue/sweep.test.ts'
const dead = 'test/sql/queue/dead_workers.test.ts'
const zombies = 'test/sql/queue/zombies.test.ts'
const last = 'test/sql/queue/last_attempt.test.ts'
const sweep = 'db/functions/work/sweep.sql'
const pools = 'db/functions/core/queue/dead_pools.sql'
const claims = 'db/functions/core/queue/end_claims.sql'
const replace = 'db/functions/core/queue/replace_job.sql'

/** Jobs and dead workers. */
export const queue: Mutant[] = [
  {
    name: 'take a pool for dead at the first sweep',
    breaks: 'A pool is dead when its lock was free in two sweeps running.',
    file: pools,
    find: 'p.misses >= 2',
    replace: 'p.misses >= 1',
    tests: [sweeps],
  },
  {
    name: 'never take a pool for dead whose lock is held',
    breaks: 'A process that has not beaten for a minute is dead, too.',
    file: pools,
    find: "p.seen_at < now() - interval '60 s'",
    replace: 'false',
    tests: [sweeps],
  },
  {
    name: 'take living pools for dead after a restart of the database',
    breaks: 'After a restart of the database living workers have a minute to come back.',
    file: pools,
    find: "and (p.started_at > pg_postmaster_start_time() or pg_postmaster_start_time() < now() - interval '60 s')",
    replace: '',
    tests: ['test/sql/queue/restart.test.ts'],
  },
  {
    name: 'leave the jobs of an unknown pool',
    breaks: 'A pool that died before it registered is found by its jobs.',
    file: pools,
    find: "and j.locked_at < now() - interval '60 s'",
    replace: 'and false',
    tests: [sweeps],
  },
  {
    name: 'leave the claims of dead pools',
    breaks: 'What a dead pool had claimed is free as soon as its death is known.',
    file: sweep,
    find: 'perform core.end_claims(dead);',
    replace: '',
    tests: [dead],
  },
  {
    name: 'end the claim of a living worker',
    breaks: 'A claim of a living worker that has a later job of the item stays.',
    file: claims,
    find: 'and not exists (select from core.jobs o where not o.is_available and o.subject = j.subject and o.locked_by <> all (pools))',
    replace: '',
    tests: [dead],
  },
  {
    name: 'keep the token of a claim that was ended',
    breaks: 'A worker that was taken for dead records nothing.',
    file: claims,
    find: 'set claim_id = null, claim_expires_at = null',
    replace: 'set claim_expires_at = null',
    tests: [dead],
  },
  {
    name: 'let a poison job spin',
    breaks: 'A job that kills its workers comes back later and later.',
    file: sweep,
    find: "retry_at := now() + least(power(2, least(job.attempts, 10) - 1), 300) * interval '1 s';",
    replace: 'retry_at := now();',
    tests: [sweeps, dead],
  },
  {
    name: 'leave the job that a worker may delete',
    breaks: 'A worker that was wrongly taken for dead takes no job with it when it comes back.',
    file: sweep,
    find: 'perform core.replace_job(job, retry_at);',
    replace: 'perform graphile_worker.reschedule_jobs(array[job.id], run_at => retry_at);',
    tests: [zombies],
  },
  {
    name: 'run a job beside its successor',
    breaks: 'Where a later job has taken its place, the job of a dead worker goes away.',
    file: replace,
    find: 'if has_successor or is_over then',
    replace: 'if is_over then',
    tests: [last, zombies],
  },
  {
    name: 'replace a job that has nothing left to do',
    breaks: 'A job whose item or event is over goes away.',
    file: replace,
    find: 'if has_successor or is_over then',
    replace: 'if has_successor then',
    tests: [last],
  },
  {
    name: 'leave a job at its last attempt',
    breaks: 'A job that the queue would never take again is replaced.',
    file: sweep,
    find: ' or j.locked_by is null and j.attempts >= j.max_attempts',
    replace: '',
    tests: [last],
  },
  {
    name: 'believe that the queue took every job',
    breaks: 'Where the queue skips a job silently, the whole transaction fails.',
    file: 'db/functions/core/queue/enqueue.sql',
    find: 'if added <> cardinality(ids) then',
    replace: 'if false then',
    tests: ['test/sql/queue/enqueue.test.ts'],
  },
  {
    name: 'enqueue no job of an order',
    breaks: 'An order is written together with a job for each item.',
    file: 'db/functions/api/place_orders.sql',
    find: "core.enqueue('call_supplier', core.write_orders(",
    replace: "array_cat('{}'::uuid[], core.write_orders(",
    tests: ['test/sql/orders/place_orders.test.ts'],
  },
]
