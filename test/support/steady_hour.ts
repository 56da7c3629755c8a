import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

const marginMs = 20_000
const hourMs = 3_600_000

/** Alerts are counted by the hour, limits by the hour and the day, books by the month: none of these ends amid a test. */
async function untilHourIsSteady(): Promise<void> {
  const leftMs = hourMs - (Date.now() % hourMs)
  if (leftMs < marginMs) await sleep(leftMs + 100)
}

await untilHourIsSteady()
beforeEach(untilHourIsSteady)

// What CI runs is the same each time. FC_SEED says which values are tried.
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) })
