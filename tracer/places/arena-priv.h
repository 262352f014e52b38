/* arena-priv.h - finds places for stubs in memory that we map in the target. */
#ifndef RFS_TRACER_ARENA_PRIV_H
#define RFS_TRACER_ARENA_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/addr.h"

struct rfs_space;
struct rfs_task;

/*
 * Finds a place of `size` bytes for a stub that a jump at `jump` can reach. If bit i of `starts` is set, an instruction
 * of the program begins where byte i of the jump's distance will be. This byte must then be one that traps (arena.c).
 * Returns 0 if there is no such place.
 */
rfs_addr rfs_arena_get(struct rfs_task *task, rfs_addr jump, unsigned starts, size_t size);
/* rfs_arena_write() sets the bytes of a stub. The target sees them after rfs_arena_flush(), which returns 0, -EFAULT or
 * -ESRCH. */
void rfs_arena_write(struct rfs_space *space, rfs_addr address, const uint8_t *bytes, size_t n);
int rfs_arena_flush(struct rfs_space *space) __attribute__((warn_unused_result));
bool rfs_arena_holds(const struct rfs_space *space, rfs_addr address);
/* Lets `to`, a copy of `from`, use the arenas of `from`. `from` must exist for longer than `to`. */
void rfs_arenas_lend(const struct rfs_space *from, struct rfs_space *to);
void rfs_arena_release(struct rfs_space *space);

#endif
