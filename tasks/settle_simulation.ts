import type { Task } from 'graphile-worker'
import { idOf, type Services } from '../src/worker/services.ts'

/** Ends the items of a simulated order whose time has come. Nobody is called: what becomes of it is known from its start. */
export const settleSimulation =
  ({ simulations }: Pick<Services, 'simulations'>): Task =>
  async (payload) => {
    await simulations.settle(idOf(payload))
  }
