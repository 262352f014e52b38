#ifndef RFS_FUTEX_H
#define RFS_FUTEX_H

#include <stddef.h>

#include "disasm/addr.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;

enum rfs_then rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread);
void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust);
/* The words of its robust list are given to nobody: OWNER_DIED. */
void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n);
size_t rfs_futex_robust_list(struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max);

#endif
