/*
 * store_buffers.h - with --memory-model tso, the stores of each thread wait in its store buffer (model/store_buffer.h).
 *
 * A store at a statement where threads park enters the buffer. The policy decides when it becomes visible: a buffer
 * that is not empty is a thread of the view, whose operation is the write (RFS_STORE_BUFFER). While the buffer is not
 * empty, its thread executes one instruction at a time, so that nothing overtakes the store:
 *
 *     a store elsewhere in watched code     follows the store before it
 *     a load that is covered in part, mfence, a locked instruction, a system call, code that is not watched, a signal,
 *     a range call, a non-temporal store, rep stos, rep movs, a masked store, xsave    all stores become visible first
 *
 * The thread parks before the latter, because other threads may run while its stores are not visible. The same happens
 * if it has executed STEPS_MAX instructions: a real buffer drains by itself. Runs with a detector and programs with
 * AddressSanitizer delay nothing, and neither does a thread while no other thread exists, nor any thread after the
 * target has made a child process or its 1024th thread.
 */
#ifndef RFS_STORE_BUFFERS_H
#define RFS_STORE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

struct rfs_part;
struct rfs_run;
struct rfs_thread_view;

/* The thread is about to execute its operation: its own stores are in memory from now on. */
void rfs_stores_show(struct rfs_run *run, struct rfs_thread *thread);
/* If the thread does not run, other threads may: its delayed stores are not in memory any more. */
void rfs_stores_hide(struct rfs_run *run, struct rfs_thread *thread);
/* All stores of the thread become visible. */
void rfs_stores_flush(struct rfs_run *run, struct rfs_thread *thread);
/* Forgets all stores, because their address space is gone. */
void rfs_stores_drop(struct rfs_run *run);
/*
 * The thread executes this part of its statement. atomic: its instruction is. delayable: the instruction will run on
 * the processor, and this is its last part.
 */
void rfs_stores_part(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_part *part, bool atomic,
		     bool delayable);
/* How to resume the thread, if it would be resumed in this way and with this signal. */
enum rfs_resume rfs_stores_resume(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo);
/* The thread has stopped. Undecided, unless it has only made a step that rfs_stores_resume() asked for. */
enum rfs_then rfs_stores_stopped(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stop *stop);
/* Writes the buffers that are not empty to out, which has room for one for each thread. Returns how many. */
size_t rfs_stores_view(const struct rfs_run *run, struct rfs_thread_view *out);
/* Whether the view would have a buffer. Each choice then belongs to the policy: no hint holds. */
bool rfs_stores_wait(const struct rfs_run *run);
/* The policy has chosen the buffer with this number: its oldest store becomes visible. */
void rfs_stores_execute(struct rfs_run *run, int number);
/* Whether the buffer with this number is not empty. */
bool rfs_stores_is_buffer(const struct rfs_run *run, int number);
void rfs_stores_release(struct rfs_run *run);

#endif
