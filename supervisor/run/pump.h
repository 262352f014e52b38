/* pump.h - waits for stops of the target, and checks the limits of the run. */
#ifndef RFS_PUMP_H
#define RFS_PUMP_H

struct rfs_run;

/*
 * Waits for one stop, at most timeout_ms (-1: without limit), and handles it. Returns 1 if there was a stop. Returns 0
 * if no stop came, or if a limit has just ended the run. Returns -errno if waiting failed, which ends the run. Stops
 * after the end of the run are handled as well.
 */
int rfs_pump(struct rfs_run *run, int timeout_ms);
/* If a tick has passed, checks the limits of the run and what its running thread does. */
void rfs_look_around(struct rfs_run *run);
/* Starts and stops the timer whose ticks interrupt a wait for the target. */
void rfs_ticks_start(void);
void rfs_ticks_stop(void);

#endif
