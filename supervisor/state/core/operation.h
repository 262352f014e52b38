/* operation.h - makes operations. */
#ifndef RFS_OPERATION_H
#define RFS_OPERATION_H

#include "disasm/addr.h"
#include "policy/policy.h"

struct rfs_run;
struct rfs_thread;

/* Makes an operation without a peer. */
struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object);
/* A ready() for operations that can always be executed. */
unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread);

#endif
