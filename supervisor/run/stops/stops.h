/* stops.h - finds out what each stop of a task means for the run. */
#ifndef RFS_STOPS_H
#define RFS_STOPS_H

struct rfs_run;
struct rfs_stop;

/* Handles one stop of any task of the target, and resumes or parks the task. */
void rfs_handle_stop(struct rfs_run *run, const struct rfs_stop *stop);

#endif
