/* order_places.h - where in the order violation under test (struct rfs_order_places) a call is. */
#ifndef RFS_STATE_ORDER_PLACES_H
#define RFS_STATE_ORDER_PLACES_H

#include "disasm/addr.h"
#include "policy/operations.h"

struct rfs_run;

/* What op.statements says of an operation that is a call: bits 0 and 1, and RFS_AT_HELD. 0 if no violation is under
 * test, and for accesses. */
unsigned rfs_order_call(const struct rfs_run *run, const struct rfs_op *op);
/* What a call that returns to this address is: bits 0 and 1, and RFS_AT_HELD. A violation must be under test. */
unsigned rfs_order_at(const struct rfs_run *run, rfs_addr address);
/* The same of an access: RFS_AT_HELD or 0. statements: bits 0 and 1 of its site. */
unsigned rfs_order_access(const struct rfs_run *run, unsigned statements);

#endif
