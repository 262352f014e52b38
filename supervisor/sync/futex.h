/* futex.h - the futex layer: futex calls that rfsup answers in place of the kernel. */
#ifndef RFS_FUTEX_H
#define RFS_FUTEX_H

#include <stddef.h>

#include "disasm/addr.h"
#include "supervisor/state/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_stop;

/* The thread is at the entry of futex(2), with its arguments in thread->args: parks it or answers the call. */
enum rfs_then rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Call this when a thread has ended. Wakes the threads that sleep on its clear_tid word and on the words of its
 * robust list.
 */
void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust);
/* Marks these words, which are the robust list of an ending thread, as locks without an owner (FUTEX_OWNER_DIED). */
void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n);
/* Writes the addresses of the words on the thread's robust list to out, at most max addresses. Returns their number. */
size_t rfs_futex_robust_list(struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max);

#endif
