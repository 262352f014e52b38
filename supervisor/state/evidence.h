#ifndef RFS_EVIDENCE_H
#define RFS_EVIDENCE_H

#include <stddef.h>

#include "disasm/addr.h"

struct rfs_run;
struct rfs_thread;
struct rfs_choice;
struct rfs_object;
struct rfs_place;

/* The thread is parked at statement i of the pair, 0 or 1. Describes it in result->stood[i] if that is empty, or if
 * this thread and result->stood[1 - i] look more like a race. */
void rfs_evidence_reached(struct rfs_run *run, struct rfs_thread *thread, int i);
void rfs_evidence_race(struct rfs_run *run, const struct rfs_choice *choice);
void rfs_evidence_fault(struct rfs_run *run, struct rfs_thread *thread);
void rfs_evidence_predicted(struct rfs_run *run);
void rfs_describe(const struct rfs_run *run, rfs_addr address, struct rfs_object *out);
void rfs_place_of(const struct rfs_run *run, rfs_addr address, struct rfs_place *out);
void rfs_stack_places(struct rfs_run *run, struct rfs_thread *thread, struct rfs_place **out, size_t *n);

#endif
