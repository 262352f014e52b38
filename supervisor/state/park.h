#ifndef RFS_PARK_H
#define RFS_PARK_H

#include "disasm/addr.h"
#include "policy/policy.h"
#include "supervisor/state/thread.h"
#include "tracer/tracer.h"

struct rfs_run;
struct rfs_thread;
struct rfs_op;
struct rfs_choice;

void rfs_park(struct rfs_run *run, struct rfs_thread *thread, struct rfs_op op, rfs_ready_fn ready, rfs_go_fn go);
/* The thread runs, in this way, with this signal (0: none). */
void rfs_let_run(struct rfs_run *run, struct rfs_thread *thread, enum rfs_resume how, int signo);
/* The thread runs on from where it stands. */
void rfs_proceed(struct rfs_run *run, struct rfs_thread *thread);
unsigned rfs_ready_always(struct rfs_run *run, struct rfs_thread *thread);
void rfs_go_proceed(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice);
struct rfs_op rfs_op_make(enum rfs_op_kind kind, rfs_site site, rfs_addr object);

#endif
