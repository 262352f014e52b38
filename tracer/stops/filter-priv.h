/*
 * filter-priv.h - the target's seccomp filter: which system calls stop a task, and which fail at once.
 *
 * Except for mmap, the filter looks only at the architecture and the number of a call. The kernel can therefore cache
 * which calls are always allowed (seccomp(2), Linux 5.11). A call that is not traced then costs the same however long
 * the lists are.
 */
#ifndef RFS_TRACER_FILTER_PRIV_H
#define RFS_TRACER_FILTER_PRIV_H

#include <linux/filter.h>

#include "tracer/tracer.h"

/* What PTRACE_GETEVENTMSG returns at a seccomp stop. */
enum rfs_filter_data {
	RFS_FILTER_NATIVE,
	RFS_FILTER_FOREIGN, /* a call of another architecture, by int 0x80 */
	RFS_FILTER_X32,
};

/* Returns 0 and *out (free out->filter with free()); -ENOMEM; or -E2BIG if the lists need more instructions than a
 * filter may have. */
int rfs_filter_build(const struct rfs_launch *launch, struct sock_fprog *out) __attribute__((warn_unused_result));

#endif
