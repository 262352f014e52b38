/* code-priv.h - reads and writes code bytes. rfs_space_poke() is the only function that writes them. */
#ifndef RFS_TRACER_CODE_PRIV_H
#define RFS_TRACER_CODE_PRIV_H

#include <stddef.h>
#include <sys/types.h>

#include "disasm/addr.h"

struct rfs_space;

/* Opens the memory of the space through task tid. The file works even after that task is gone. If the file cannot be
 * opened, the next access tries again. */
void rfs_space_open(struct rfs_space *space, pid_t tid);
void rfs_space_close(struct rfs_space *space);
/* Both ignore the protection of the memory. They return 0, -EFAULT or -ESRCH. */
int rfs_space_peek(struct rfs_space *space, rfs_addr address, void *buf, size_t n) __attribute__((warn_unused_result));
int rfs_space_poke(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));
/*
 * The same for bytes of ours, which belong to all spaces that have the same root. A space that has other memory there
 * by now is left out. The result is that of `space`.
 */
int rfs_space_poke_all(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
	__attribute__((warn_unused_result));

#endif
