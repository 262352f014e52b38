/*
 * atomic_learns.h - what atomic accesses show about the order of threads.
 *
 * An atomic access that reads a pointer to a heap block comes after the access that wrote it (RFS_ACCESS_LEARNS).
 *
 * The update that brings a reference count to zero comes after all others (RFS_EVENT_LAST_DROP). So what this thread
 * then does to the object's block comes after what others did to it before they dropped their references. The same is
 * true of blocks to which this block points, if they have no counts themselves. Accesses to other memory get no order
 * from this. A reference count is a word near the beginning of a block, or in a small block. No update raises it from
 * zero, and the thread that drops a reference looks at the result.
 *
 * Two threads may both set a flag when they are done with a block, and the second one destroys it. That thread finds
 * what the other one has set, and looks at the result. It is treated in the same way.
 *
 * An update of single bits, and an exchange (RFS_ACCESS_TELLS), publish what their thread did, because a flag says that
 * something is done. So does a compare-exchange that found the constant that it expects. It also learns what was
 * published by the store of this constant (RFS_ACCESS_TAKES). A failed one is a load, and learns like one.
 *
 * A count that others bring to zero says that they are done (RFS_ACCESS_LEARNS of a load that finds zero). This does
 * not hold if one of them has both added and subtracted, because that thread may do so again.
 */
#ifndef RFS_ATOMIC_LEARNS_H
#define RFS_ATOMIC_LEARNS_H

struct rfs_insn;
struct rfs_part;
struct rfs_run;
struct rfs_thread;

/*
 * The thread is about to execute this part of an atomic instruction; call rfs_word_locks_update() before. The first
 * function returns a set of RFS_ACCESS_LEARNS, RFS_ACCESS_TELLS and RFS_ACCESS_TAKES. The second one tells the detector
 * if the thread drops the last reference, or is the second to set a flag; call it after the detector got the access.
 */
unsigned rfs_atomic_marks(const struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_insn *insn,
			  const struct rfs_part *part);
void rfs_atomic_drops_last(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_insn *insn,
			   const struct rfs_part *part);

#endif
