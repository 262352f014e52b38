/* space_life-priv.h - makes and frees address spaces. */
#ifndef RFS_TRACER_SPACE_LIFE_PRIV_H
#define RFS_TRACER_SPACE_LIFE_PRIV_H

#include <stdbool.h>

struct rfs_space;
struct rfs_task;

int rfs_space_new(struct rfs_task *task, struct rfs_space **out) __attribute__((warn_unused_result));
void rfs_space_put(struct rfs_space *space); /* drops one reference; the last one frees the space */
/* Makes the space of `child`, a process that the target forked. The new space has the program's bytes as in `parent`,
 * but no breakpoints and patches. */
int rfs_space_fork(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* The same for a child that stays under control: it has the code of `parent`, with all breakpoints and patches. */
int rfs_space_join(struct rfs_space *parent, struct rfs_task *child, struct rfs_space **out)
	__attribute__((warn_unused_result));
/* Whether the task is the only one of its space. */
bool rfs_space_is_private(const struct rfs_task *task);
/* Gives the space of `parent`, its only task, to `child`, a process that it has just forked. The parent gets a new
 * space with the program's bytes. */
int rfs_space_give(struct rfs_task *parent, struct rfs_task *child) __attribute__((warn_unused_result));
/* Makes the space of `copy`, a copy of the task `from` (forker.h), with all that the tracer knows of the original
 * space: breakpoints and modules with their data, patches and slots. */
int rfs_space_copy(const struct rfs_task *from, struct rfs_task *copy, struct rfs_space **out)
	__attribute__((warn_unused_result));

#endif
