/*
 * kernel_objects.h - things in the kernel that several threads may use: a name in a folder, the content of a file, the
 * position of a descriptor. Each has an address outside of the target's memory. So detectors and policies treat a
 * system call that uses it as an access to memory.
 *
 * Addresses are given in the order in which a run first sees the objects. So they are the same in a replay, although
 * the kernel gives a new file another inode.
 */
#ifndef RFS_KERNEL_OBJECTS_H
#define RFS_KERNEL_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "disasm/addr.h"
#include "supervisor/base/object_kind.h"

struct rfs_run;

/* A kind that has no file leaves device and inode 0. */
struct rfs_kernel_object {
	enum rfs_kernel_object_kind kind;
	dev_t device;
	ino_t inode;
	uint64_t detail;
};

/*
 * The address of the object. words: what a report says, such as "file a.txt"; copied if the object is new. 0: there are
 * too many objects.
 */
rfs_addr rfs_kernel_object(struct rfs_run *run, const struct rfs_kernel_object *object, const char *words);
/* Whether the address is that of an object. */
bool rfs_is_kernel_object(rfs_addr address);
/* The kind of the object at this address, and what reports say (borrowed from the run). Returns
 * RFS_OBJECT_MEMORY and NULL if there is none. */
enum rfs_kernel_object_kind rfs_kernel_object_at(const struct rfs_run *run, rfs_addr address, const char **words);
/* The file is gone. A new one that gets its number is another object. */
void rfs_kernel_objects_forget(struct rfs_run *run, dev_t device, ino_t inode);
/* The same of one object. */
void rfs_kernel_object_forget(struct rfs_run *run, const struct rfs_kernel_object *object);
void rfs_kernel_objects_release(struct rfs_run *run);

#endif
