/** An amount in hundredths, as the program that sent it meant it: 0.7999999999999999 is 0.8. */
export function inHundredths(amount: number): number {
  return Number(amount.toFixed(2))
}

/** Whether an amount has two decimals at most. A sum of binary fractions may miss them by a trifle. */
export function hasTwoDecimals(amount: number): boolean {
  return !(Math.abs(amount - inHundredths(amount)) >= 1e-6)
}

/** The highest amount in hundredths that a limit allows: 95.679 allows 95.67. */
export function limitInHundredths(limit: number): number {
  const rounded = inHundredths(limit)
  return rounded <= limit || hasTwoDecimals(limit) ? rounded : inHundredths(rounded - 0.01)
}
