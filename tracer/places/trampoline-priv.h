/* trampoline-priv.h - the gate page, a page of our own code in the target. trampoline.c shows its layout. */
#ifndef RFS_TRACER_TRAMPOLINE_PRIV_H
#define RFS_TRACER_TRAMPOLINE_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "tracer/trampoline.h"

struct rfs_space;

/* Offset in the gate page: the start of forker.c's loop. */
#define RFS_GATE_FORK 512
/* Maps the page of a program before its first instruction, through its only task. If that fails, space->gate stays 0.
 * */
void rfs_trampoline_open(struct rfs_task *task);
bool rfs_is_trampoline(const struct rfs_space *space, rfs_addr address);

#endif
