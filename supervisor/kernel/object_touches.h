/*
 * object_touches.h - what a system call is about to do to which kernel objects (state/core/kernel_objects.h), as
 * accesses to their addresses.
 *
 * Two calls conflict if one writes what the other uses. Effects that commute are atomic updates, and two of these do
 * not conflict: writes at the end of a file, reads and writes that move a common position, and opens that create a file
 * if it does not exist. A look at the size or the mode of a file (stat) is no access to its content. So threads that
 * poll with stat() conflict with no writer, only with a thread that creates, renames or removes the name.
 *
 * Names are resolved as the kernel does: from the working folder or a descriptor, through symbolic links. A name is the
 * inode of its folder and the last component, so it is known before the file exists.
 *
 * Not known: pipes and sockets (channel.h has their messages), file locks, folders that are listed, descriptors
 * (fd_calls.h), and that two descriptors share a position after dup(2).
 */
#ifndef RFS_OBJECT_TOUCHES_H
#define RFS_OBJECT_TOUCHES_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "supervisor/state/core/kernel_objects.h"

struct rfs_run;
struct rfs_thread;

struct rfs_object_touch {
	enum rfs_kernel_object_kind kind;
	rfs_addr address;
	uint64_t size;
	unsigned access; /* enum rfs_access_flags */
};

#define RFS_OBJECT_TOUCHES 12

/* Fills out for a call of the thread with this number. Returns how many touches there are. */
size_t rfs_object_touches(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args,
			  struct rfs_object_touch out[RFS_OBJECT_TOUCHES]);

#endif
