/*
 * filter-priv.h - the seccomp filter of the target: which system calls stop it, and which are refused at once.
 *
 * Only the call's architecture and number are looked at, so that the kernel's cache of calls that are always allowed
 * applies (seccomp(2), Linux 5.11): an untraced call pays nothing for the length of the lists.
 */
#ifndef RFS_TRACER_FILTER_PRIV_H
#define RFS_TRACER_FILTER_PRIV_H

#include <linux/filter.h>

#include "tracer/tracer.h"

/* The value of PTRACE_GETEVENTMSG at a seccomp stop. */
enum rfs_filter_data {
	RFS_FILTER_NATIVE,
	RFS_FILTER_FOREIGN, /* another architecture: int 0x80 */
	RFS_FILTER_X32,
};

/* 0 and *out (release its filter with free()), -ENOMEM, -E2BIG: more calls than a filter may have instructions. */
int rfs_filter_build(const struct rfs_launch *launch, struct sock_fprog *out) __attribute__((warn_unused_result));

#endif
