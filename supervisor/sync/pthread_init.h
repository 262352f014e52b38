/* pthread_init.h - calls that initialise objects of the thread library, or set attributes for that. */
#ifndef RFS_PTHREAD_INIT_H
#define RFS_PTHREAD_INIT_H

#include "supervisor/state/core/thread.h"

struct rfs_call;
struct rfs_run;

/* What is set in attributes (param of rfs_enter_attribute()). */
enum rfs_attribute {
	RFS_ATTRIBUTE_TYPE,
	RFS_ATTRIBUTE_SHARED,
	RFS_ATTRIBUTE_PROTOCOL,
	RFS_ATTRIBUTE_ROBUST,
	RFS_ATTRIBUTE_CEILING,
	RFS_ATTRIBUTE_PREFERENCE,
};

/*
 * Handlers of a thread at the entry of a function. None of these calls is an operation. param of rfs_enter_init(): the
 * type of object. rfs_enter_jump(): the function leaves others, as longjmp() does.
 */
enum rfs_then rfs_enter_jump(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_init(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);
enum rfs_then rfs_enter_attribute(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call);

#endif
