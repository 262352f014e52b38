#ifndef RFS_SPIN_H
#define RFS_SPIN_H

#include <stdbool.h>
#include <stddef.h>

struct rfs_run;
struct rfs_thread;
struct rfs_site_hook;
struct rfs_part;
struct rfs_stub_record;

/* The run is to end while a thread runs: stops it where it is, so that its stack can be shown. */
void rfs_stop_running(struct rfs_run *run);
void rfs_watchdog(struct rfs_run *run);
void rfs_spin_hit(struct rfs_run *run, struct rfs_thread *thread, struct rfs_site_hook *site,
		  const struct rfs_part *part);
/* The buffer of a thread's records is full: goes on, or turns out to spin, and the run ends. */
void rfs_spin_records(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_stub_record *records, size_t n);
/* One more access that is no visible operation: true where the thread turns out to spin, and the run ends. */
bool rfs_spin_suspect(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_site_hook *site,
		      const struct rfs_part *part);

#endif
