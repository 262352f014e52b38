/* arena-priv.h - places for stubs. */
#ifndef RFS_TRACER_ARENA_PRIV_H
#define RFS_TRACER_ARENA_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_space;
struct rfs_task;

/*
 * A place of size bytes for a stub that a jump at `jump` can reach, where bit i of starts asks that byte i of the
 * jump's distance traps. 0: there is none.
 */
rfs_addr rfs_arena_get(struct rfs_task *task, rfs_addr jump, unsigned starts, size_t size);
/* Fills it; the target sees it after rfs_arena_flush() (0, -EFAULT, -ESRCH). */
void rfs_arena_write(struct rfs_space *space, rfs_addr address, const uint8_t *bytes, size_t n);
int rfs_arena_flush(struct rfs_space *space) __attribute__((warn_unused_result));
bool rfs_arena_holds(const struct rfs_space *space, rfs_addr address);
/* to is a copy of from, which lives longer. */
void rfs_arenas_lend(const struct rfs_space *from, struct rfs_space *to);
void rfs_arena_release(struct rfs_space *space);

#endif
