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
 * A place of size bytes for a stub that a jump at `jump` can reach. If bit i of starts is set, byte i of the jump's
 * distance must be one that traps. 0: no such place.
 */
rfs_addr rfs_arena_get(struct rfs_task *task, rfs_addr jump, unsigned starts, size_t size);
/* Fills the place. The target sees the bytes after rfs_arena_flush() (0, -EFAULT, -ESRCH). */
void rfs_arena_write(struct rfs_space *space, rfs_addr address, const uint8_t *bytes, size_t n);
int rfs_arena_flush(struct rfs_space *space) __attribute__((warn_unused_result));
bool rfs_arena_holds(const struct rfs_space *space, rfs_addr address);
/* Makes `to`, a copy of `from`, use the places of `from`, which must live longer. */
void rfs_arenas_lend(const struct rfs_space *from, struct rfs_space *to);
void rfs_arena_release(struct rfs_space *space);

#endif
