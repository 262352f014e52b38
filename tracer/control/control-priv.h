/* control-priv.h - makes a tracer without a program. */
#ifndef RFS_TRACER_CONTROL_PRIV_H
#define RFS_TRACER_CONTROL_PRIV_H

struct rfs_exec_rules;
struct rfs_tracer;

/* NULL: no memory. Free it with rfs_tracer_free(). */
struct rfs_tracer *rfs_tracer_new(const struct rfs_exec_rules *rules);

#endif
