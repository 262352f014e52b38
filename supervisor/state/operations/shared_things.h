/*
 * shared_things.h - what calls of two threads may affect each other through: files, descriptors, pipes, mappings,
 * hidden state of the C library, or what belongs to the process.
 *
 * The order of such calls is not explored: most of them are not operations. So a proof must know whether it matters.
 * Each call is split into touches, as operations are (policy/core/dependence.h). Two threads that touch one thing are
 * in conflict, unless both only look at it, or both only append to it. What a thread does while it is alone does not
 * count, apart from a look at what several threads have appended to. Calls under a common lock are no conflict: the
 * order of the sections is explored. In doubt there is a conflict.
 *
 * Only runs of a policy with RFS_POLICY_NEEDS_CALLS look.
 */
#ifndef RFS_SHARED_THINGS_H
#define RFS_SHARED_THINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_thread;

enum rfs_shared_effect {
	RFS_SHARED_LOOKS,
	RFS_SHARED_APPENDS, /* writes at the end, whose order only shows in the file; adds or removes another name of a
			       folder */
	RFS_SHARED_CHANGES,
};

enum rfs_shared_thing {
	RFS_SHARED_FILE,       /* a file, with its content and attributes */
	RFS_SHARED_NAME,       /* a name in a folder */
	RFS_SHARED_POSITION,   /* the position in a file of one descriptor, and its flags */
	RFS_SHARED_DESCRIPTOR, /* a descriptor that is open for one file; without a file: the number alone */
	RFS_SHARED_STREAMS,    /* pipes, sockets and the like: which of them belong together is not known */
	RFS_SHARED_FOLDER,     /* the working folder */
	RFS_SHARED_MASK,       /* umask */
	RFS_SHARED_SIGNAL,     /* what a signal does, and which signals wait */
	RFS_SHARED_PROCESS,    /* ids, limits, children, shared memory */
	RFS_SHARED_MAPPINGS,   /* which memory is mapped, and how */
	RFS_SHARED_LIBRARY,    /* hidden state of the C library */
};

struct rfs_shared_touch {
	enum rfs_shared_thing thing;
	enum rfs_shared_effect effect;
	dev_t device;
	ino_t inode;
	/* NAME: a hash of the name; POSITION, DESCRIPTOR: the descriptor; SIGNAL: its number, or 0 for those that wait;
	 * LIBRARY: which state */
	uint64_t detail;
	int fd; /* APPENDS: through this descriptor; -1: in an order that does not matter */
};

bool rfs_shared_noted(const struct rfs_run_spec *spec);
/* Whether all threads but one have ended and were joined. */
bool rfs_shared_is_alone(const struct rfs_run *run);
/* Notes what a call of the thread touches. Sets shares_calls of the result at the first conflict. */
void rfs_shared_note(struct rfs_run *run, const struct rfs_thread *thread, const struct rfs_shared_touch *touch);
/* From now on, each thread may access the file as memory. writes: it may also change it. */
void rfs_shared_map_file(struct rfs_run *run, dev_t device, ino_t inode, bool writes);
/* The file is gone: another file may get its number. */
void rfs_shared_forget_file(struct rfs_run *run, dev_t device, ino_t inode);
void rfs_shared_release(struct rfs_run *run);

#endif
