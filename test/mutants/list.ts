import { adapters } from './adapters.ts'
import { admission } from './admission.ts'
import { callbacks } from './callbacks.ts'
import { deliveries } from './deliveries.ts'
import { items } from './items.ts'
import { money } from './money.ts'
import type { Mutant } from './mutant.ts'
import { queue } from './queue.ts'
import { results } from './results.ts'
import { suppliers } from './suppliers.ts'

/** All mutants, by what they are about. */
export const subjects: { [subject: string]: Mutant[] } = {
  money,
  items,
  results,
  suppliers,
  adapters,
  deliveries,
  queue,
  admission,
  callbacks,
}

export const mutants: Mutant[] = Object.values(subjects).flat()
