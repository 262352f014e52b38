/* gate-priv.h - the gate page, whose layout gate.c shows. */
#ifndef RFS_TRACER_GATE_PRIV_H
#define RFS_TRACER_GATE_PRIV_H

#include <stdbool.h>

#include "disasm/addr.h"
#include "tracer/gate.h"

struct rfs_space;

/* Offsets in the gate page: the end of the system call instruction and the int3; the place of forker.c's loop. */
#define RFS_GATE_END 3
#define RFS_GATE_FORK 512
/* Maps the page for a program that has not begun, through its only task. If that fails, space->gate stays 0. */
void rfs_gate_open(struct rfs_task *task);
bool rfs_gate_is_trampoline(const struct rfs_space *space, rfs_addr address);

#endif
