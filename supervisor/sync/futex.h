/* futex.h - the futex layer: futex calls that rfsup answers in place of the kernel. */
#ifndef RFS_FUTEX_H
#define RFS_FUTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "disasm/addr.h"
#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;
struct rfs_task;

/* The thread is at the entry of futex(2), with its arguments in thread->args: parks it or answers the call. */
enum rfs_then rfs_futex_call(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Call this when a thread has ended. Wakes the threads that sleep on its clear_tid word and on the words of its
 * robust list.
 */
void rfs_futex_thread_gone(struct rfs_run *run, rfs_addr clear_tid, const rfs_addr *robust, size_t n_robust);
/*
 * Whether a process that is not controlled may use the word: it is in a shared mapping, and the program has made a
 * process, or another program can map the same file.
 */
bool rfs_futex_is_shared(const struct rfs_run *run, rfs_addr address);
/* Marks these words, which are the robust list of an ending thread, as locks without an owner (FUTEX_OWNER_DIED). */
void rfs_futex_robust_died(struct rfs_run *run, const struct rfs_thread *thread, const rfs_addr *robust, size_t n);
/* Writes the addresses of the words on the thread's robust list to out, at most max addresses. Returns their number. */
size_t rfs_futex_robust_list(struct rfs_run *run, struct rfs_thread *thread, rfs_addr *out, size_t max);
/*
 * Call this when a task is about to end, at its last stop. Its robust locks contain the id that the task was shown. The
 * kernel marks and wakes only locks with its own id, so this function writes that id. shared_only: only locks in memory
 * that is shared with other processes; the others are the model's.
 */
void rfs_futex_robust_to_kernel(struct rfs_task *task, pid_t shown, bool shared_only);

#endif
