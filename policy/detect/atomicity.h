/*
 * atomicity.h - predicts atomicity violations from the events of one run.
 *
 * A thread accesses some data in two sections, one after the other, and a third section of another thread could come
 * between. A section is what happens between the acquisition and the release of a lock, or one atomic access, or one
 * system call on what the kernel keeps. The program may need both sections to be one: a check, and what the thread does
 * because of it. The order first, remote, second is then unserialisable if it has one of four patterns (Lu, Tucek, Qin,
 * Zhou, AVIO, ASPLOS 2006). They are also those of CTrigger (Park, Lu, Zhou, ASPLOS 2009). Lower case is the remote
 * access:
 *
 *   R-w-W  the second section writes because of a value that is no longer there
 *   R-w-R  two reads that should see the same value do not
 *   W-w-R  the thread does not read what it has written
 *   W-r-W  another thread reads a value that was not meant to be seen
 *
 * A thread that looks as the first one does, and does not write because of what it saw, may write in another run. So
 * it counts as a remote write at the place of the second section.
 *
 * A free of the memory counts as a write. The sections need not race: the same lock may protect all three of them.
 *
 *  - The two sections follow each other in their thread, as far as this data is concerned: the thread does not access
 *    it between them. So it has not checked again.
 *  - The remote section shares a lock with both, or all three are atomic accesses, or system calls. Otherwise they
 *    race, and the pair is tested by RaceFuzzer.
 *  - No lock that the remote thread holds is held by the first thread all the time from one section to the other.
 *  - Messages (thread start and end, signals, barriers) do not force the remote section before the first or after the
 *    second. The order of locks does not count.
 *  - The second section is not the same code as the first one (a loop). If the first one ended with a condition wait,
 *    the second one does not begin with a read, because this is the check again.
 *
 * Violations that differ only in the data are one: sections are named by where the lock was acquired and by their first
 * access. Those in which the remote section came nearest in the observed run are listed first.
 *
 * The same sections show order violations: two operations of two threads on the same object came in the right order,
 * but nothing made them, because a lock that both hold could have been acquired in the other order. Near misses of this
 * kind are the candidates of TSVD (Li et al., SOSP 2019) and Waffle (Stoica et al., EuroSys 2023):
 *
 *   use, free      the free could come first; the block is then used after it was freed
 *   wait, signal   the signal could come first; it is then lost
 *   write, use     the first write in a section could come after the use in another one; the data is then not ready
 *
 *   use, end       a lock, condition variable, semaphore or barrier could be destroyed or freed first (lifetimes.h)
 *   use, close     a file descriptor could be closed first (fd_lifetimes.h)
 *   use, exit      the thread on whose stack the data is could end first (stack_lifetimes.h)
 *
 * Memory that is used in a section after its free in the observed run is left out: the program does so anyway.
 */
#ifndef RFS_ATOMICITY_H
#define RFS_ATOMICITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/detect/atomicity_pattern.h"
#include "policy/operations.h"

/* The most atomicity violations, and the most order violations, that a report has. */
#define RFS_ATOMICITY_MAX 64
#define RFS_ORDER_VIOLATIONS_MAX 32

struct rfs_access;
struct rfs_atomicity_graph;
struct rfs_fd_call;
struct rfs_thread_stack;

struct rfs_atomicity_graph *rfs_atomicity_new(void);
void rfs_atomicity_free(struct rfs_atomicity_graph *atomicity);

/* As the functions of struct rfs_detector_ops. */
void rfs_atomicity_event(struct rfs_atomicity_graph *atomicity, const struct rfs_event *event);
void rfs_atomicity_accesses(struct rfs_atomicity_graph *atomicity, int thread, const struct rfs_access *accesses,
			    size_t n);

/* A system call uses or closes descriptors (fd_lifetimes.h). */
void rfs_atomicity_fd_call(struct rfs_atomicity_graph *atomicity, const struct rfs_fd_call *call);
/* A thread begins, and has this stack (stack_lifetimes.h). */
void rfs_atomicity_stack(struct rfs_atomicity_graph *atomicity, const struct rfs_thread_stack *stack);

/* Whether the thread is in a section, apart from those of atomic accesses. */
bool rfs_atomicity_in_section(struct rfs_atomicity_graph *atomicity, int thread);
/* Whether a plain access of the thread to this address counts: it is in a section, or the address is on another
 * thread's stack. */
bool rfs_atomicity_matters(struct rfs_atomicity_graph *atomicity, int thread, rfs_addr address);

/*
 * Calls emit for each violation, the most promising first. False if there may be more: too much data was accessed in
 * sections, or there are more than the most of a kind. Call it once, after the last event.
 */
typedef void rfs_atomicity_emit(void *arg, const struct rfs_atomicity_violation *violation);
bool rfs_atomicity_report(struct rfs_atomicity_graph *atomicity, rfs_atomicity_emit *emit, void *arg);

#endif
