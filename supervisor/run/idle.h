/* idle.h - what happens while no thread can be picked. */
#ifndef RFS_IDLE_H
#define RFS_IDLE_H

#include <stdbool.h>

struct rfs_run;

/* No thread can be picked: lets the outside act, else lets time pass, else ends the run as a deadlock. */
void rfs_idle(struct rfs_run *run);
/* The command that drives the target has ended, and that was not known: the target is told to end. */
bool rfs_driver_ended(struct rfs_run *run);

#endif
