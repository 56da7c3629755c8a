/** An amount in hundredths, as the program that sent it meant it: 0.7999999999999999 is 0.8. */
export function inHundredths(amount: number): number {
  return Number(amount.toFixed(2))
}

/** Whether an amount has two decimals at most. A sum of binary fractions may miss them by a trifle. */
export function hasTwoDecimals(amount: number): boolean {
  return !(Math.abs(amount - inHundredths(amount)) >= 1e-6)
}
