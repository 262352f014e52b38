/*
 * order_output.h - whether the order of a race changes what the program writes, although it does not fail.
 *
 * A run that created the race is made again up to a race, as for a failure (harm.h): a few times in each of its two
 * orders, and what follows is drawn anew. The order changes the output if all runs of one order write the same, and no
 * run of the other order does. If runs of both orders differ among themselves, something else changes the output. The
 * order of the lines does not count: threads that print their names do so in any order.
 *
 * Example: two threads withdraw from an account without a lock. The program ends with status 0, but prints another
 * balance. No failure says so, and the race would only be called real.
 */
#ifndef RFS_ORDER_OUTPUT_H
#define RFS_ORDER_OUTPUT_H

struct rfs_campaign;

/* Tests all real races of which no run has failed. Makes no runs once the step has ended. */
void rfs_order_outputs_test(struct rfs_campaign *c);

#endif
