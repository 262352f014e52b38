/*
 * input.h - recorded input: a run stores what comes from outside the target, and a replay gives this input to the
 * target again. So a replay does not need the source of the input (rfsup-record(5), "The input file").
 *
 * The results of all calls on sockets, named FIFOs and terminals are recorded, and the results of poll and similar
 * calls. Some events are recorded together with the number of the policy's next choice. These events are: a thread at
 * such a call was enabled, a thread returned from the kernel, or rfsup sent a signal.
 *
 * Pipes, eventfds, and connections through local sockets between processes of the target are not recorded. A replay
 * runs all these processes, so the calls are made again. accept and connect show only at their return who the other end
 * is. So their result is recorded in any case, and says whether a replay makes the call.
 */
#ifndef RFS_INPUT_H
#define RFS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "supervisor/state/core/thread.h"

struct rfs_run;
struct rfs_thread;

/* Opens the files that spec->input names. 0, or -errno and one line in why. */
int rfs_input_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/* Writes the input file if anything came from outside, and frees run->kernel->input. */
void rfs_input_close(struct rfs_run *run);

/*
 * Called before the thread parks at a call. fd: our duplicate of the call's descriptor; -1: the call counts as a call
 * on an outside descriptor. Notes whether the call is recorded or replayed.
 */
void rfs_input_consider(struct rfs_run *run, struct rfs_thread *thread, int fd);
/*
 * Whether the thread's call would return at once. `now` is what the kernel says. Returns `now`, or in a replay the
 * recorded answer.
 */
bool rfs_input_ready(struct rfs_run *run, struct rfs_thread *thread, bool now);
/* Answers the call from the recorded input. RFS_THEN_UNDECIDED: the call is not replayed, so the kernel executes it. */
enum rfs_then rfs_input_answer(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Called instead of rfs_input_answer() for a call that may wait in the kernel. True if the call is replayed: the thread
 * then does not enter the kernel, and waits until its recorded return is due.
 */
bool rfs_input_wait(struct rfs_run *run, struct rfs_thread *thread);
/* Called at the exit of a call; records its result. back: the thread was waiting in the kernel. */
void rfs_input_returned(struct rfs_run *run, struct rfs_thread *thread, bool back);
/*
 * Enter handler of getpeername and similar calls, which never wait. RFS_THEN_UNDECIDED: this run neither records nor
 * replays input.
 */
enum rfs_then rfs_input_query(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Enter handler of bind. A bind of an internet socket is recorded, because other programs decide whether the port is
 * free. A replay returns the recorded result without binding the socket, because no client connects. A bind of a local
 * socket is always executed, because it creates a file.
 */
enum rfs_then rfs_input_bind(struct rfs_run *run, struct rfs_thread *thread);
/*
 * Called before each choice. In a replay, carries out the events that are recorded before this choice. True if a signal
 * was sent.
 */
bool rfs_input_due(struct rfs_run *run);
/*
 * Called when no thread can continue, before the run advances its horizon (if `horizon`) or its virtual time to `due`.
 * due RFS_NEVER: nothing is due. True if the caller must not advance, because a signal was sent, or because a replay
 * ended without a further event.
 */
bool rfs_input_idle(struct rfs_run *run, bool horizon, uint64_t due);
/*
 * Called when a policy lets the outside act, or when only the outside can. A loose replay sends the next recorded
 * signal if it is due, and returns true; a strict one does nothing, because rfs_input_due() finds what happened. due:
 * as for rfs_input_idle().
 */
bool rfs_input_outside(struct rfs_run *run, uint64_t due);
/*
 * Called at each choice. Counts the choices, and records for which threads the answer of rfs_input_ready() has changed.
 */
void rfs_input_chosen(struct rfs_run *run);
/* Sends the target a signal that does not come from the target itself, and records it. */
void rfs_input_signal(struct rfs_run *run, int signo);
/* Whether our descriptor connects the target with something that a replay does not have. */
bool rfs_input_is_outside(const struct rfs_run *run, int fd);
/* Whether the run takes its input from a recorded file. */
bool rfs_input_replays(const struct rfs_run *run);
/*
 * Called when the real clock is read. *now is the clock's value, as virtual time. A replay replaces *now by the
 * recorded value and returns true. thread NULL: the read at the start of the run.
 */
bool rfs_input_clock(struct rfs_run *run, const struct rfs_thread *thread, uint64_t *now);

#endif
