/*
 * annotations.h - what programs say of themselves: calls of dynamic annotations and of ThreadSanitizer's interface, and
 * the marks of policy/rfsup.h.
 */
#ifndef RFS_ANNOTATIONS_H
#define RFS_ANNOTATIONS_H

struct rfs_module;
struct rfs_run;
struct rfs_thread;

/* Sets breakpoints at the annotations and marks of a module that was mapped. */
void rfs_annotations_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module);

#endif
