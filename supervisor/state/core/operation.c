/* operation.c - makes operations. */
#include "supervisor/state/core/operation.h"

struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object)
{
	return (struct rfs_op){.kind = kind, .peer = -1, .site = site, .object = object};
}

unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread)
{
	(void)run;
	(void)thread;
	return RFS_THREAD_ENABLED;
}
