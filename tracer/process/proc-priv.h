/* proc-priv.h - what /proc and the process clocks say, in addition to the functions of tracer.h. */
#ifndef RFS_TRACER_PROC_PRIV_H
#define RFS_TRACER_PROC_PRIV_H

#include <sys/types.h>

double rfs_process_cpu_seconds(pid_t pid); /* CPU time of the whole process; 0 if it is gone */

#endif
