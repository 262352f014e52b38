/*
 * word_locks.h - locks that are no pthread locks: futex-based ones of other languages and libraries, and spin locks.
 *
 * model/word_lock.c recognises them. This file tells it what the threads do: each atomic instruction that stops a
 * thread, and later stores to a word that the thread may hold. If a detector runs, a thread that changes a word lets
 * others run first, a few times for each site (rfs_word_wants_contention()). A thread that then arrives at the word
 * shows whether it waits.
 */
#ifndef RFS_WORD_LOCKS_H
#define RFS_WORD_LOCKS_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/state/core/thread.h"

struct rfs_insn;
struct rfs_module;
struct rfs_part;
struct rfs_run;
struct rfs_run_spec;

void rfs_word_locks_open(struct rfs_run *run);
void rfs_word_locks_close(struct rfs_run *run);
/* The spec names this site, with this role. */
void rfs_word_locks_named(struct rfs_run *run, const struct rfs_module *module, rfs_addr vaddr,
			  enum rfs_word_role role);
/* The thread is about to execute an atomic instruction or an atomic move. This may end the run. */
void rfs_word_locks_update(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_insn *insn,
			   const struct rfs_part *part);
/*
 * The thread is about to store to this address with a plain instruction. The store may release what the thread holds.
 * True: it is a store to a lock that the thread holds. Detectors do not get it.
 */
bool rfs_word_locks_store(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			  const struct rfs_part *part);
/* Whether the address is the word of a lock. Detectors do not get accesses to such words. */
bool rfs_word_locks_is_lock(const struct rfs_run *run, rfs_addr address);
/* Whether an access of these bytes is one of such a lock, and of nothing beside it. */
bool rfs_word_locks_is_access(const struct rfs_run *run, rfs_addr address, uint64_t size);
/* Whether the operation, an atomic access, acquires such a lock, or tries to. */
bool rfs_word_locks_acquires(const struct rfs_run *run, const struct rfs_op *op);
/* Whether runs with a detector stop threads right after they acquire a word, to let others arrive, be it known as a
 * lock or not. Policies that choose the threads that arrive on purpose do not need it. */
bool rfs_word_locks_forced(const struct rfs_run_spec *spec);
/* Whether the thread is to stop right after this instruction, which changes a word, to let others arrive. */
bool rfs_word_locks_stops_after(struct rfs_run *run, struct rfs_thread *thread, rfs_site site,
				const struct rfs_insn *insn, rfs_addr address);
/* The thread has executed that instruction: it parks, and others are preferred for a while. */
enum rfs_then rfs_word_locks_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* The thread has stopped: finds out whether it has released what it held. */
void rfs_word_locks_look(struct rfs_run *run, struct rfs_thread *thread);
/* The thread has stored to this word, which it may hold. */
void rfs_word_locks_stored(struct rfs_run *run, struct rfs_thread *thread, rfs_addr word);
/* Adds what the run learnt about locks to its result. False: it learnt nothing. */
bool rfs_word_locks_collect(struct rfs_run *run);

#endif
