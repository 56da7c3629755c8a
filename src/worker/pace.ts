/**
 * The least time between two statements of one kind that a worker runs, in milliseconds. A statement for one order costs
 * the database four times what each order costs in a batch of eight. Nobody waits for these milliseconds: an order
 * takes minutes, and one that comes alone is not delayed.
 */
export const paceMs = 8
