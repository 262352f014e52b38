/*
 * word_locks.h - locks that are no pthread locks: futex-based ones of other languages and libraries, and spin locks.
 *
 * model/word_lock.c recognises them. Here it gets what the threads do: each atomic instruction that stops a thread, and
 * what a thread that may hold a word has stored there since. A thread that changes a word at a site of which nothing is
 * known is made to wait a few times, while a detector runs. Then another thread arrives and shows whether it waits.
 */
#ifndef RFS_WORD_LOCKS_H
#define RFS_WORD_LOCKS_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "supervisor/model/word_lock.h"
#include "supervisor/state/thread.h"

struct rfs_insn;
struct rfs_module;
struct rfs_part;
struct rfs_run;

void rfs_word_locks_open(struct rfs_run *run);
void rfs_word_locks_close(struct rfs_run *run);
/* What the spec says of this site. */
void rfs_word_locks_named(struct rfs_run *run, const struct rfs_module *module, rfs_addr vaddr,
			  enum rfs_word_role role);
/* The thread is about to execute an atomic instruction or an atomic move, the only part of its statement. The run may
 * end. */
void rfs_word_locks_update(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_insn *insn,
			   const struct rfs_part *part);
/* Whether the address is a lock's word: then its accesses are no accesses to detectors. */
bool rfs_word_locks_is_lock(const struct rfs_run *run, rfs_addr address);
/* Whether the thread should stop right after this instruction, which changed a word. */
bool rfs_word_locks_shows(struct rfs_run *run, struct rfs_thread *thread, rfs_site site, const struct rfs_insn *insn,
			  rfs_addr address);
/* The thread has made that step: it parks, and others are preferred for a while. */
enum rfs_then rfs_word_locks_stepped(struct rfs_run *run, struct rfs_thread *thread);
/* The thread has stopped: looks whether it released what it held. */
void rfs_word_locks_look(struct rfs_run *run, struct rfs_thread *thread);
/* What the run learnt about locks becomes part of its result. False: it is nothing. */
bool rfs_word_locks_collect(struct rfs_run *run);

#endif
