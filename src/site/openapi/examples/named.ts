/** An example of a body, with a title. */
export const named = (summary: string, value: unknown) => ({ summary, value })

/** A success with this data. */
export const answer = (data: unknown) => ({ success: true, data })
