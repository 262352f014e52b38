/*
 * atomic_learns.h - what atomic accesses say about the order of threads, beyond being atomic.
 *
 * An atomic access that reads a pointer to a heap block has to come after the one that wrote it (RFS_ACCESS_LEARNS).
 * The update that brings a reference count to zero comes after the others (RFS_EVENT_LAST). So what the thread then
 * does to the object's block comes after what others did to it before they dropped theirs. But nothing else is ordered,
 * because the thread also does what has nothing to do with the object. A count is a word near the beginning of a block
 * that no update raises from zero; the thread looks at the result.
 *
 * An update of single bits hands over to those who read the word (RFS_ACCESS_TELLS): a flag says that something is
 * done.
 */
#ifndef RFS_ATOMIC_LEARNS_H
#define RFS_ATOMIC_LEARNS_H

struct rfs_insn;
struct rfs_part;
struct rfs_run;
struct rfs_thread;

/*
 * The thread is about to execute this part of an instruction, which is atomic; rfs_word_locks_update() was called. The
 * first function returns RFS_ACCESS_LEARNS, RFS_ACCESS_TELLS or 0. The second one tells the detector if the thread
 * drops the last reference; call it after the access was told.
 */
unsigned rfs_atomic_marks(const struct rfs_run *run, const struct rfs_insn *insn, const struct rfs_part *part);
void rfs_atomic_drops_last(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			   const struct rfs_part *part);

#endif
