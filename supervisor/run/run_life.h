#ifndef RFS_RUN_LIFE_H
#define RFS_RUN_LIFE_H

#include <stddef.h>

struct rfs_run;
struct rfs_run_spec;
struct rfs_run_result;

/* run_life.c: rfs_run() in its parts. The memory is the caller's; whatever fails, rfs_run_release() has to follow. */
void rfs_run_init(struct rfs_run *run, const struct rfs_run_spec *spec, struct rfs_run_result *out);
/* Policy, detector and trace. */
int rfs_run_open(struct rfs_run *run, char *why, size_t n) __attribute__((warn_unused_result));
/* That, and the target, which stops at these system calls (ends with -1). */
int rfs_run_begin(struct rfs_run *run, const int *syscalls, char *why, size_t n) __attribute__((warn_unused_result));
void rfs_run_collect(struct rfs_run *run);
void rfs_run_release(struct rfs_run *run);

#endif
