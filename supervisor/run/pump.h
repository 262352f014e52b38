/* pump.h - waiting for the target; see pump.c. */
#ifndef RFS_PUMP_H
#define RFS_PUMP_H

struct rfs_run;

/*
 * Waits for one stop, at most timeout_ms (-1: for ever), and deals with it. 1: there was one; 0: none came, or the run
 * has ended before; -errno: there is nothing to wait for, and the run has ended. Takes stops after the end as well.
 */
int rfs_pump(struct rfs_run *run, int timeout_ms);
/* If a tick has passed: whether the run may go on, and where its running thread is. */
void rfs_look_around(struct rfs_run *run);
void rfs_ticks_start(void);
void rfs_ticks_stop(void);

#endif
