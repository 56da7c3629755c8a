import { clock, differenceInWords } from '../../clock.ts'
import { currentFor } from '../../database/version.ts'
import { shared } from '../../shared.ts'
import { refuse } from '../errors.ts'
import { liveness, readiness } from '../models/account.ts'
import { reply } from '../reply.ts'
import { route } from './route.ts'

const commitProofMs = 1_000

const tag = 'Health'
const access = 'healthCheck'

/** For load balancers and supervisors. */
export const healthRoutes = [
  route({
    method: 'get',
    path: '/livez',
    access,
    id: 'getLiveness',
    tag,
    summary: 'Liveness',
    description: 'Does not use the database. Does not count against the rate limit.',
    answers: { 200: { description: 'The process is alive.', data: liveness, headers: [] } },
    handle: (ctx) => reply(ctx, '{"status":"ok"}'),
  }),
  route({
    method: 'get',
    path: '/readyz',
    access,
    id: 'getReadiness',
    tag,
    summary: 'Readiness',
    description:
      'Ready: the database answers, takes writes and is migrated, and the process is not about to stop. Does not count ' +
      'against the rate limit. `clock` is there if the clock of the process differs from that of the database by more ' +
      'than 30 s.',
    answers: { 200: { description: 'The service is ready.', data: readiness, headers: [] } },
    errors: ['INTERNAL', 'UNAVAILABLE'],
    keep: ({ db, expected }) => {
      const isCurrent = currentFor(expected)
      const readState = shared(0, async () => (await db.call('api.readiness'))[0])
      // Anyone may send these checks, so a commit is tried once a second at most.
      const proveCommit = shared(commitProofMs, () => db.call('api.prove_commit'))
      return { isCurrent, readState, proveCommit }
    },
    handle: async (ctx, { lifecycle, isCurrent, readState, proveCommit }) => {
      if (lifecycle.draining) return refuse(ctx, 'UNAVAILABLE')
      const state = await ctx.state.databaseTime(readState)
      if (state === undefined || state.standby || !isCurrent(state)) return refuse(ctx, 'UNAVAILABLE')
      // A synchronous standby that is gone stops commits alone.
      await ctx.state.databaseTime(proveCommit)
      const secondsAhead = clock.secondsAhead()
      // It stays ready: it corrects its clock, and the wrong one may be that of the database, for all processes.
      const warning = secondsAhead === null ? {} : { clock: differenceInWords(secondsAhead) }
      reply(ctx, JSON.stringify({ status: 'ready', ...warning }))
    },
  }),
]
