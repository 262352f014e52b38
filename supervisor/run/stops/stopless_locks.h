/* stopless_locks.h - calls of locks, semaphores and condition variables that execute without a stop, because there is
 * nothing to choose. */
#ifndef RFS_STOPLESS_LOCKS_H
#define RFS_STOPLESS_LOCKS_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"

struct rfs_run;
struct rfs_thread;

/* Call this before the thread is resumed. Lends the thread the operations that it may execute without a stop. */
void rfs_stopless_lend(struct rfs_run *run, struct rfs_thread *thread);
/* Call this for each lent operation that the thread has executed. operand: what the stub recorded about the object. */
void rfs_stopless_recorded(struct rfs_run *run, struct rfs_thread *thread, enum rfs_operand_kind operand,
			   rfs_addr object);
/* Whether a record of this kind is about a lent operation. */
bool rfs_stopless_is_operation(enum rfs_operand_kind operand);
/*
 * How the operation changes the value of a semaphore; 0 if it is about no semaphore. Memory already has the value after
 * all operations.
 */
int rfs_stopless_adds(enum rfs_operand_kind operand);

#endif
